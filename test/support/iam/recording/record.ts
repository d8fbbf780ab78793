import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { takeRequests } from './recorder.ts';
import { RECORDINGS, toFileName } from './recordings.ts';

/**
 * Stores the requests to AWS that our code sends in a test file. Vitest loads this file before each test
 * file, and the modules that it imports once per worker.
 */
afterAll(() => {
  const { testPath = '' } = expect.getState();
  const test = relative(process.cwd(), testPath);
  const file = join(RECORDINGS, toFileName(test));
  const requests = takeRequests();
  if (requests.length === 0) return rmSync(file, { force: true });
  mkdirSync(RECORDINGS, { recursive: true });
  writeFileSync(file, JSON.stringify({ test, requests }));
});
