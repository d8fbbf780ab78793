import type { ClockView } from '../../views.ts';

export interface HeardClock extends ClockView {
  /** Time of the message, as in `performance.now()`. */
  readonly heardAt: number;
}

/** Between two messages time is extrapolated, but not far: a message comes twice a second. */
const MAX_EXTRAPOLATION_MS = 1_000;

/** Computes the cluster's time at the real time `realNow`. */
export function clusterNow({ now, speed, paused, heardAt }: HeardClock, realNow: number): number {
  if (paused || speed === 'max') return now;
  return now + Math.min(MAX_EXTRAPOLATION_MS, Math.max(0, realNow - heardAt)) * speed;
}
