#!/usr/bin/env node
/// <reference types="node" />
// Plain JavaScript of old, so that a Node that cannot read the rest still gives this sentence.
const OLDEST_NODE_MAJOR = 22;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE_MAJOR) {
  process.stderr.write(
    `error: mortise needs Node.js ${OLDEST_NODE_MAJOR} or newer, and this is ${process.versions.node}\n` +
      '  fix:   install a newer Node.js, see nodejs.org\n',
  );
  process.exit(2);
}

// Without this cache Node.js compiles the code again in each call. It lies in `node_modules`, not in one
// of the system's temporary folders, to which other users could write code. Node.js 22.0 has no cache,
// and a folder that cannot be written is no error.
const { enableCompileCache } = await import('node:module');
const { fileURLToPath } = await import('node:url');
enableCompileCache?.(fileURLToPath(new URL('../../../.cache/mortise', import.meta.url)));

await import('./mortise.js');
