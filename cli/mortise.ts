#!/usr/bin/env node
import { main } from './main.ts';
import { exitOnClosedPipe, stopOnSignals } from './signals.ts';
import { processIo } from './terminal/io.ts';

exitOnClosedPipe();
const stop = stopOnSignals();
const code = await main(process.argv.slice(2), processIo(), stop.signal, stop.grant);

// The command is done: an open timer or socket must not keep the process alive. Both streams are
// flushed first, because a pipe may be slow.
await Promise.all([process.stdout, process.stderr].map(flushed));
process.exit(code);

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((done) => stream.write('', () => done()));
}
