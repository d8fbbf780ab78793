import type { ClusterSnapshot } from '../shared/model/cluster-snapshot.ts';
import type { EpochMs } from '../shared/model/time.ts';
import { MINUTE_MS } from '../shared/model/time.ts';
import { computeFleetBound } from '../shared/scheduling/packing/bounds/fleet-bound.ts';
import type { BoundSample } from './views/series.ts';
import type { LowerBound } from './views.ts';

export interface BoundGauge {
  /** Whether it is time to read again. */
  isDue(now: EpochMs): boolean;
  /** Takes what the pods that hold a place cost at the very least. */
  read(snapshot: ClusterSnapshot): void;
  /** As read last; absent when no pod had a place. */
  bound(): LowerBound | undefined;
  /** What was read so far, oldest first. */
  samples(): readonly BoundSample[];
}

/** Between two readings, of the cluster's time and of real time: the bound is not for nothing. */
const EVERY_MS = 2_000;
const EVERY_REAL_MS = 200;
const KEPT_MS = 70 * MINUTE_MS;

/** Reads the lower bound now and then, and remembers it for the curve. */
export function boundGauge(realNow: () => number = () => performance.now()): BoundGauge {
  let samples: BoundSample[] = [];
  let readAt = Number.NEGATIVE_INFINITY;

  return {
    isDue(now) {
      const last = samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
      return now - last >= EVERY_MS && realNow() - readAt >= EVERY_REAL_MS;
    },
    read(snapshot) {
      readAt = realNow();
      const sample = { at: snapshot.takenAt, hourlyUsd: computeFleetBound(settled(snapshot)) };
      samples = [...samples.filter(({ at }) => at >= snapshot.takenAt - KEPT_MS), sample];
    },
    bound() {
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
