#!/usr/bin/env node
import { processIo } from './io.ts';
import { main } from './main.ts';
import { exitOnClosedPipe, stopOnSignals } from './signals.ts';

exitOnClosedPipe();
process.exitCode = await main(process.argv.slice(2), processIo(), stopOnSignals());
