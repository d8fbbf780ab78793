import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/**
 * Calls `ask` until it returns a value. An error counts as no value; the final error contains the
 * last one.
 *
 * @param what - completes "waited in vain for ..."
 * @throws Error - `ask` returned no value in time
 */
export async function waitUntil<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 60_000, everyMs = 100 }: WaitOptions = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadline) {
      throw new Error(`waited ${timeoutMs / 1000} s in vain for ${what}`, { cause });
    }
    await sleep(everyMs);
  }
}
