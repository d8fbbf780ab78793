import type { ClusterSnapshot } from '../shared/model/cluster-snapshot.ts';
import { MINUTE_MS } from '../shared/model/time.ts';
import { lowerBoundHourlyUsd } from '../shared/scheduling/lower-bound.ts';
import type { BoundSample } from './views/series.ts';
import type { LowerBound } from './views.ts';

export interface BoundGauge {
  /** What the pods that hold a place cost at the very least; absent when there are none. */
  read(snapshot: ClusterSnapshot): LowerBound | undefined;
  /** What was read so far, oldest first. */
  samples(): readonly BoundSample[];
}

/** Real time between two computations: the bound moves slowly and is not for nothing. */
const EVERY_MS = 500;
const KEPT_MS = 70 * MINUTE_MS;

/** Reads the lower bound now and then, and remembers it for the curve. */
export function boundGauge(realNow: () => number = () => performance.now()): BoundGauge {
  let samples: BoundSample[] = [];
  let readAt = Number.NEGATIVE_INFINITY;

  return {
    read(snapshot) {
      if (realNow() - readAt >= EVERY_MS) {
        readAt = realNow();
        const sample = { at: snapshot.takenAt, hourlyUsd: lowerBoundHourlyUsd(settled(snapshot)) };
        samples = [...samples.filter(({ at }) => at >= snapshot.takenAt - KEPT_MS), sample];
      }
      const hourlyUsd = samples.at(-1)?.hourlyUsd ?? 0;
      return hourlyUsd > 0 ? { hourlyUsd, text: 'no nodes hold these pods for less' } : undefined;
    },
    samples: () => samples,
  };
}

/** Pods without a node are not paid for yet. */
const settled = (snapshot: ClusterSnapshot): ClusterSnapshot => ({
  ...snapshot,
  pods: snapshot.pods.filter(({ nodeName }) => nodeName !== undefined),
});
