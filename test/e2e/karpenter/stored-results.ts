import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import type { JudgedSpec } from './judge.ts';

/** The run of one spec, a line of the file of `--results`. */
const lineSchema = z.object({
  suite: z.string(),
  runtime: z.enum(['controller', 'functions']),
  /** The value of `--timeout`. */
  timeout: z.string(),
  /** The commit of the code that ran, with `-dirty` if files differ from it. */
  commit: z.string(),
  name: z.string(),
  result: z.enum(['passed', 'failed', 'by design', 'unexpected pass', 'not run']),
  seconds: z.number(),
  reason: z.string().optional(),
});

export type StoredResult = z.output<typeof lineSchema>;
export type RunId = Pick<StoredResult, 'suite' | 'runtime' | 'timeout'>;

/**
 * Several commands may append to one file: a line is written at once.
 *
 * @throws Error - the file cannot be written
 */
export const appendResult = (file: string, result: StoredResult): void =>
  appendFileSync(file, `${JSON.stringify(result)}\n`);

/**
 * Reads what earlier commands stored; the last result of a spec counts. A failed spec is left out, so
 * that it runs again.
 *
 * @throws Error - a line is not a result; names file and line
 */
export function readResults(file: string, run: RunId): ReadonlyMap<string, JudgedSpec> {
  const results = new Map<string, JudgedSpec>();
  if (!existsSync(file)) return results;
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const { suite, runtime, timeout, name, result, seconds, reason } = parseLine(file, index, line);
    if (suite !== run.suite || runtime !== run.runtime || timeout !== run.timeout) continue;
    if (result === 'failed' || result === 'unexpected pass') results.delete(name);
    else results.set(name, { name, result, seconds, ...(reason !== undefined && { reason }) });
  }
  return results;
}

function parseLine(file: string, index: number, line: string): StoredResult {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch (error) {
    throw new Error(`${file}, line ${index + 1}: not the result of a spec`, { cause: error });
  }
}
