import type { EpochMs } from '../model/time.ts';
import { createDueQueue } from './due-queue.ts';
import type { VirtualClock } from './world.ts';

/**
 * Runs one piece of work after the other: the next one starts when the promise of the last one has
 * settled, so that runs with equal input interleave equally.
 */
export function createVirtualClock(startAt: EpochMs): VirtualClock {
  const due = createDueQueue<() => void | Promise<void>>();
  let now = startAt;
  let running = false;

  async function runDue(until: EpochMs): Promise<void> {
    for (let next = due.peek(); next && next.at <= until; next = due.peek()) {
      due.pop();
      now = next.at;
      const done = next.what();
      // Most work is synchronous; a turn of the event loop for each would dominate long runs.
      if (done) await done;
    }
    now = Math.max(now, until);
  }

  return {
    now: () => now,
    next: () => due.peek()?.at,
    schedule: (at, work) => due.push(Math.max(at, now), work),
    async runUntil(until) {
      if (running) throw new Error('The virtual clock runs already: await the run before');
      running = true;
      try {
        await runDue(until);
      } finally {
        running = false;
      }
    },
  };
}
