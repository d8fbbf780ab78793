import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodePool } from '../../model/node-pool.ts';
import type { Fix } from '../../model/plans.ts';
import type { Pod } from '../../model/pod.ts';
import type { Reason } from '../../model/reasons.ts';
import type { Problem } from '../input/problem.ts';

/** A change to one field of one object, and the world with it made. */
export interface Proposal extends Omit<Fix, 'hourlyUsd'> {
  readonly snapshot: ClusterSnapshot;
  readonly pods: readonly Pod[];
}

/** What may cure that the pool refuses the pods for this reason; whether it does, is tried. */
export type Remedy = (
  pool: NodePool,
  reason: Reason,
  pods: readonly Pod[],
  problem: Problem,
) => Proposal[];

export const withPool = (snapshot: ClusterSnapshot, pool: NodePool): ClusterSnapshot => ({
  ...snapshot,
  pools: snapshot.pools.map((one) => (one.name === pool.name ? pool : one)),
});
