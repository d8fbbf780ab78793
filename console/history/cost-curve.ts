import type { EpochMs } from '../../shared/model/time.ts';
import { totalOf } from '../cost.ts';
import type { CostPoint } from '../views/series.ts';
import type { TotalsView } from '../views.ts';

/** The cost curve of a feed that records none. */
export interface CostCurve {
  add(at: EpochMs, totals: TotalsView): void;
  forget(before: EpochMs): void;
  points(): readonly CostPoint[];
}

export function costCurve(): CostCurve {
  let points: CostPoint[] = [];
  return {
    add(at, { hourlyUsd, pendingPods, nodes }) {
      const point: CostPoint = {
        at,
        onDemandHourlyUsd: hourlyUsd['on-demand'],
        spotHourlyUsd: hourlyUsd.spot,
        reservedHourlyUsd: hourlyUsd.reserved,
        pendingPods,
        nodes: totalOf(nodes),
      };
      const last = points.at(-1);
      if (last && isSamePoint(last, point)) return;
      points.push(point);
    },
    forget(before) {
      const first = points.findLastIndex(({ at }) => at <= before);
      if (first > 0) points = points.slice(first);
    },
    points: () => points,
  };
}

const isSamePoint = (a: CostPoint, b: CostPoint): boolean =>
  a.onDemandHourlyUsd === b.onDemandHourlyUsd &&
  a.spotHourlyUsd === b.spotHourlyUsd &&
  a.reservedHourlyUsd === b.reservedHourlyUsd &&
  a.pendingPods === b.pendingPods &&
  a.nodes === b.nodes;
