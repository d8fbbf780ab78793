import { totalOf } from '../cost.ts';
import { MARKED_EVENTS } from '../marked-events.ts';
import type { SeriesPoint, SeriesView } from '../timeline-views.ts';
import type { EventView } from '../views.ts';

/** Cost and size of the cluster from `at` until the next point. */
export interface CostPoint {
  readonly at: number;
  readonly onDemandHourlyUsd: number;
  readonly spotHourlyUsd: number;
  /** Undefined for 0. */
  readonly reservedHourlyUsd?: number;
  readonly pendingPods: number;
  readonly nodes: number;
}

export interface BoundSample {
  readonly at: number;
  readonly hourlyUsd: number;
}

/** More points than the curve has pixels are invisible. */
const MAX_POINTS = 1_200;

/** Computes the curve from `from` on, with the last point of each interval. */
export function seriesView(
  points: readonly CostPoint[],
  bounds: readonly BoundSample[],
  events: readonly EventView[],
  { from, to }: { readonly from: number; readonly to: number },
): SeriesView {
  const intervalMs = Math.max(1, (to - from) / MAX_POINTS);
  // The last point before the window is the value at its start.
  const before = points.findLast(({ at }) => at < from);
  const inside = points.filter(({ at }) => at >= from && at <= to);
  const thinned = inside.filter((point, index) => {
    const next = inside[index + 1];
    return !next || intervalOf(next, from, intervalMs) !== intervalOf(point, from, intervalMs);
  });
  const steps = before ? [{ ...before, at: from }, ...thinned] : thinned;
  const last = steps.at(-1);
  // The bound may have been sampled since, so the last point is repeated at `to`.
  const shown = last && last.at < to ? [...steps, { ...last, at: to }] : steps;
  return {
    points: shown.map((point) => seriesPoint(point, bounds)),
    marks: events.filter(({ at, kind }) => at >= from && MARKED_EVENTS.has(kind)),
  };
}

const intervalOf = ({ at }: CostPoint, from: number, intervalMs: number): number =>
  Math.floor((at - from) / intervalMs);

function seriesPoint(point: CostPoint, bounds: readonly BoundSample[]): SeriesPoint {
  const hourlyUsd = {
    'on-demand': point.onDemandHourlyUsd,
    spot: point.spotHourlyUsd,
    reserved: point.reservedHourlyUsd ?? 0,
  };
  const bound = bounds.findLast(({ at }) => at <= point.at)?.hourlyUsd ?? 0;
  // Nodes may leave between two samples of the bound.
  const boundHourlyUsd = Math.min(bound, totalOf(hourlyUsd));
  return {
    at: point.at,
    hourlyUsd,
    pendingPods: point.pendingPods,
    ...(boundHourlyUsd > 0 && { boundHourlyUsd }),
  };
}
