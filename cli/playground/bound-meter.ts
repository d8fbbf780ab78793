import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { type EpochMs, HOUR_MS } from '../../shared/model/time.ts';

/** Sums up the lower bound of the cluster's cost from samples. */
export interface BoundMeter {
  /**
   * @param at - virtual time of the sample, not before the previous one
   */
  sample(at: EpochMs, hourlyUsd: number): void;
  totalUsd(): number;
}

export function createBoundMeter(startedAt: EpochMs): BoundMeter {
  let last = { at: startedAt, hourlyUsd: 0 };
  let total = 0;
  return {
    sample(at, hourlyUsd) {
      // Pods may come or go between two samples, so only the smaller value is certain.
      const guaranteed = Math.min(last.hourlyUsd, hourlyUsd);
      total += (guaranteed * (at - last.at)) / HOUR_MS;
      last = { at, hourlyUsd };
    },
    totalUsd: () => total,
  };
}

/** Keeps the pods that occupy a node: the part of the snapshot that costs money now. */
export const keepRunningPods = (snapshot: ClusterSnapshot): ClusterSnapshot => ({
  ...snapshot,
  pods: snapshot.pods.filter(({ nodeName }) => nodeName !== undefined),
});
