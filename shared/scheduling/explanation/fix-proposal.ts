import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { Fix } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { Problem } from '../input/problem.ts';

/** A change to one field of one object, and the world with it made. */
export interface FixProposal extends Omit<Fix, 'hourlyUsd'> {
  readonly snapshot: ClusterSnapshot;
  readonly pods: readonly Pod[];
}

/** What may cure that the pool refuses the pods for this reason; whether it does, is tried. */
export type FixProposer = (
  pool: NodePool,
  reason: Reason,
  pods: readonly Pod[],
  problem: Problem,
) => FixProposal[];

export const withPool = (snapshot: ClusterSnapshot, pool: NodePool): ClusterSnapshot => ({
  ...snapshot,
  pools: snapshot.pools.map((one) => (one.name === pool.name ? pool : one)),
});
