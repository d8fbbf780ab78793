import type { SeriesPoint } from '../../timeline-views.ts';

/** Columns in uPlot's format, times in seconds; the three costs are stacked. */
export interface CurveData {
  readonly at: readonly number[];
  readonly onDemand: readonly number[];
  readonly reserved: readonly number[];
  /** Top of the stack: the total cost. */
  readonly total: readonly number[];
  readonly bound: readonly (number | null)[];
  readonly pending: readonly number[];
}

/**
 * @param now - end of the last step
 */
export function curveData(points: readonly SeriesPoint[], now: number): CurveData {
  const last = points.at(-1);
  const held = last && last.at < now ? [...points, { ...last, at: now }] : points;
  return {
    at: held.map(({ at }) => at / 1000),
    onDemand: held.map(({ hourlyUsd }) => hourlyUsd['on-demand']),
    reserved: held.map(({ hourlyUsd }) => hourlyUsd['on-demand'] + hourlyUsd.reserved),
    total: held.map(({ hourlyUsd }) => hourlyUsd['on-demand'] + hourlyUsd.reserved + hourlyUsd.spot),
    bound: held.map(({ boundHourlyUsd }) => boundHourlyUsd ?? null),
    pending: held.map(({ pendingPods }) => pendingPods),
  };
}

/** Time intervals with pending pods, in seconds. */
export function pendingStretches({ at, pending }: CurveData): readonly (readonly [number, number])[] {
  const stretches: [number, number][] = [];
  for (const [index, from] of at.entries()) {
    const to = at[index + 1];
    if (to === undefined || (pending[index] ?? 0) === 0) continue;
    const last = stretches.at(-1);
    if (last && last[1] === from) last[1] = to;
    else stretches.push([from, to]);
  }
  return stretches;
}

/** Finds the cost at a moment, in seconds. */
export function totalAt({ at, total }: CurveData, moment: number): number | undefined {
  const index = at.findLastIndex((time) => time <= moment);
  return total[index];
}

const MIN_WINDOW_MS = 600_000;
const WINDOW_MS = 3_600_000;

/** Shows the last hour, or less while the cluster is younger. */
export function curveWindow(points: readonly SeriesPoint[], now: number): [number, number] {
  const first = points[0]?.at ?? now;
  const span = Math.min(WINDOW_MS, Math.max(MIN_WINDOW_MS, now - first));
  return [(now - span) / 1000, now / 1000];
}
