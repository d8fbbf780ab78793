#!/usr/bin/env node
/// <reference types="node" />
// Plain JavaScript of old, so that an old Node.js can read it.
const OLDEST_NODE_MAJOR = 24;

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
