import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { type EpochMs, HOUR_MS } from '../../shared/model/time.ts';

/** Adds up what the cluster could not have cost less than, sample by sample. */
export interface BoundMeter {
  /** @param at - virtual time of the sample, never before the last one */
  sample(at: EpochMs, hourlyUsd: number): void;
  totalUsd(): number;
}

export function createBoundMeter(startedAt: EpochMs): BoundMeter {
  let last = { at: startedAt, hourlyUsd: 0 };
  let total = 0;
  return {
    sample(at, hourlyUsd) {
      // Between two samples only the smaller one is sure: pods may have come or gone at any moment.
      const guaranteed = Math.min(last.hourlyUsd, hourlyUsd);
      total += (guaranteed * (at - last.at)) / HOUR_MS;
      last = { at, hourlyUsd };
    },
    totalUsd: () => total,
  };
}

/** The part of the snapshot that costs money now: pods that hold a place on a node. */
export const keepRunningPods = (snapshot: ClusterSnapshot): ClusterSnapshot => ({
  ...snapshot,
  pods: snapshot.pods.filter(({ nodeName }) => nodeName !== undefined),
});
