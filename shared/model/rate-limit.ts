import type { EpochMs } from './time.ts';

/** Allows `burst` calls at once, and one more each `intervalMs`. */
export interface RateLimit {
  /** False if there were too many calls; such a call does not count. */
  tryTake(now: EpochMs): boolean;
}

export function createRateLimit(intervalMs: number, burst: number): RateLimit {
  let available = burst;
  let filledAt: EpochMs | undefined;
  return {
    tryTake(now) {
      available = Math.min(burst, available + Math.max(0, now - (filledAt ?? now)) / intervalMs);
      filledAt = now;
      if (available < 1) return false;
      available -= 1;
      return true;
    },
  };
}

/** Changes of pods' deletion costs, each of which the API server stores and sends to all that watch pods. */
export const createDeletionCostLimit = (): RateLimit => createRateLimit(1000, 60);
