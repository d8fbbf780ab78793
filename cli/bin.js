#!/usr/bin/env node
/// <reference types="node" />
// Plain JavaScript of old, so that an old Node.js can read it.
const OLDEST_NODE_MAJOR = 24;

// FORCE_COLOR wins over NO_COLOR, as in our own output. Node.js would warn about each process that
// has both: this one and its children.
if (process.env.FORCE_COLOR !== undefined) delete process.env.NO_COLOR;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE_MAJOR) {
  await (await import('./newer-node.js')).runWithNewerNode(OLDEST_NODE_MAJOR);
} else {
  // Node.js reads TypeScript; without this cache it strips the types again in each call. The folder is
  // not one of the system's temporary folders, to which other users could write code.
  const { enableCompileCache } = await import('node:module');
  const { fileURLToPath } = await import('node:url');
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/mortise', import.meta.url)));

  await import('./mortise.ts');
}
