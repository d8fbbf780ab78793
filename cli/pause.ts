import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, and returns early without an error if `stop` is aborted. */
export async function pause(ms: number, stop: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal: stop });
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}
