import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const recordedRequest = z.object({
  service: z.string(),
  operation: z.string(),
  input: z.unknown(),
  /** Our files on the stack, innermost first. */
  files: z.array(z.string()).readonly(),
});
export type RecordedRequest = Readonly<z.output<typeof recordedRequest>>;

const recording = z.object({ test: z.string(), requests: z.array(recordedRequest) });

/** One file for each test file, written when it ends. */
export const RECORDINGS = 'node_modules/.cache/mortise/requests';

export const toFileName = (test: string): string => `${test.replaceAll('/', '+')}.json`;

/** A request and the test files that have sent it. */
export interface TestedRequest extends RecordedRequest {
  readonly tests: readonly string[];
}

/** Reads what the tests have recorded when they last ran. Recordings of tests that are gone do not count. */
export function readRecordings(): readonly TestedRequest[] {
  const byContent = new Map<string, { request: RecordedRequest; tests: string[] }>();
  for (const name of existsSync(RECORDINGS) ? readdirSync(RECORDINGS) : []) {
    const { test, requests } = recording.parse(JSON.parse(readFileSync(join(RECORDINGS, name), 'utf8')));
    if (!existsSync(test)) continue;
    for (const request of requests) {
      const key = JSON.stringify(request);
      const entry = byContent.get(key) ?? { request, tests: [] };
      entry.tests.push(test);
      byContent.set(key, entry);
    }
  }
  return [...byContent.values()].map(({ request, tests }) => ({ ...request, tests }));
}
