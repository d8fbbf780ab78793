import type { ClusterSnapshot } from '../shared/model/cluster-snapshot.ts';
import type { EpochMs } from '../shared/model/time.ts';
import { MINUTE_MS } from '../shared/model/time.ts';
import { computeFleetBound } from '../shared/scheduling/packing/bounds/fleet-bound.ts';
import type { BoundSample } from './views/series.ts';
import type { LowerBound } from './views.ts';

export interface BoundGauge {
  /** True if the next sample is due. */
  isDue(now: EpochMs): boolean;
  /** Computes the lower bound for the pods that occupy a node. */
  read(snapshot: ClusterSnapshot): void;
  /** The last sample, or the one of a moment; undefined if no pod had a node. */
  bound(at?: EpochMs): LowerBound | undefined;
  /** All samples, oldest first. */
  samples(): readonly BoundSample[];
}

/**
 * Minimum interval of samples in virtual and in real time, because computing the bound takes time.
 */
const EVERY_MS = 2_000;
const EVERY_REAL_MS = 200;
const KEPT_MS = 70 * MINUTE_MS;

/** Samples the lower bound at intervals and keeps the samples for the curve. */
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
      const sample = {
        at: snapshot.takenAt,
        hourlyUsd: computeFleetBound(withoutUnboundPods(snapshot)),
      };
      samples = [...samples.filter(({ at }) => at >= snapshot.takenAt - KEPT_MS), sample];
    },
    bound(until = Number.POSITIVE_INFINITY) {
      const hourlyUsd = samples.findLast(({ at }) => at <= until)?.hourlyUsd ?? 0;
      return hourlyUsd > 0 ? { hourlyUsd, text: 'no nodes hold these pods for less' } : undefined;
    },
    samples: () => samples,
  };
}

/** Pods without a node cost nothing yet. */
const withoutUnboundPods = (snapshot: ClusterSnapshot): ClusterSnapshot => ({
  ...snapshot,
  pods: snapshot.pods.filter(({ nodeName }) => nodeName !== undefined),
});
