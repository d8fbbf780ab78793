import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { EpochMs } from '../../../shared/model/time.ts';

/** Virtual time for asynchronous work that runs in this process. */
export interface Timeline {
  now(): EpochMs;
  sleep(ms: number): Promise<void>;
  /** Runs `work` to its end: time passes only while everything that runs is asleep. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

interface Sleeper {
  readonly at: EpochMs;
  readonly wake: () => void;
}

/** How often other work may continue before all of it counts as asleep. */
const YIELDS_UNTIL_ASLEEP = 3;
/** Work on other threads, as compression, may take longer; then something else is wrong. */
const MAX_YIELDS = 100_000;

export function createTimeline(startAt: EpochMs): Timeline {
  const sleepers: Sleeper[] = [];
  let now = startAt;

  function wakeNext(): void {
    const at = Math.min(...sleepers.map((sleeper) => sleeper.at));
    if (!Number.isFinite(at)) throw new Error('The work waits for something that never happens');
    now = Math.max(now, at);
    const due = sleepers.filter((sleeper) => sleeper.at <= now);
    sleepers.splice(0, sleepers.length, ...sleepers.filter((sleeper) => sleeper.at > now));
    for (const { wake } of due) wake();
  }

  return {
    now: () => now,
    sleep: (ms) =>
      ms <= 0
        ? Promise.resolve()
        : new Promise((wake) => {
            sleepers.push({ at: now + ms, wake });
          }),
    async run(work) {
      let isDone = false;
      const result = work().finally(() => {
        isDone = true;
      });
      // The caller receives the error from `result`.
      result.catch(() => {});
      while (!isDone) {
        for (let yields = 0; yields < YIELDS_UNTIL_ASLEEP && !isDone; yields += 1) await letOthersRun();
        for (let yields = 0; yields < MAX_YIELDS && !isDone && sleepers.length === 0; yields += 1) await letOthersRun();
        if (!isDone) wakeNext();
      }
      return result;
    },
  };
}
