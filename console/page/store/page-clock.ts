import type { ClockView } from '../../views.ts';

export interface HeardClock extends ClockView {
  /** When it was heard, as `performance.now()` tells time. */
  readonly heardAt: number;
}

/** Time runs on between two messages, but not far: a message comes twice a second. */
const LONGEST_GUESS_MS = 1_000;

/** The cluster's time now, on a page where real time is `realNow`. */
export function clusterNow({ now, speed, paused, heardAt }: HeardClock, realNow: number): number {
  if (paused || speed === 'max') return now;
  return now + Math.min(LONGEST_GUESS_MS, Math.max(0, realNow - heardAt)) * speed;
}
