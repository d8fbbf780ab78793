import { setTimeout as sleep } from 'node:timers/promises';

/** Waits; ends early, and without an error, when it is told to stop. */
export async function pause(ms: number, stop: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal: stop });
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}
