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

await import('./mortise.js');
