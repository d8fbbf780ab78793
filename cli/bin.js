#!/usr/bin/env node
/// <reference types="node" />
// Plain JavaScript of old, so that a Node that cannot read the rest still gives this sentence.
const OLDEST_NODE_MAJOR = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE_MAJOR) {
  process.stderr.write(
    `error: mortise needs Node.js ${OLDEST_NODE_MAJOR} or newer, and this is ${process.versions.node}\n` +
      '  fix:   in a clone, call it as `npx mortise`: npm ci brings the right Node.js along\n',
  );
  process.exit(2);
}

// Node.js reads TypeScript; without this cache it strips the types again in each call. The folder is
// not one of the system's temporary folders, to which other users could write code.
const { enableCompileCache } = await import('node:module');
const { fileURLToPath } = await import('node:url');
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/mortise', import.meta.url)));

await import('./mortise.ts');
