import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { Fix } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import type { Problem } from '../input/problem.ts';

/** A change of one field of one object, and the snapshot with this change. */
export interface FixProposal extends Omit<Fix, 'hourlyUsd' | 'adds' | 'launches'> {
  readonly snapshot: ClusterSnapshot;
  readonly pods: readonly Pod[];
}

/**
 * Proposes changes that may resolve the reason for which the NodePool refuses the pods. Each
 * proposal is verified by planning again.
 */
export type FixProposer = (pool: NodePool, reason: Reason, pods: readonly Pod[], problem: Problem) => FixProposal[];

export const withPool = (snapshot: ClusterSnapshot, pool: NodePool): ClusterSnapshot => ({
  ...snapshot,
  pools: snapshot.pools.map((one) => (one.name === pool.name ? pool : one)),
});

/** Describes that the requirement of the NodePool gets other values. */
export const describeValues = (
  { name }: NodePool,
  index: number,
  { key, operator, values = [] }: RequirementSpec,
  to: readonly string[],
) => ({
  kind: 'allow-values' as const,
  object: `NodePool/${name}`,
  path: `spec.template.spec.requirements[${index}].values`,
  ...{ key, operator },
  from: `[${values.join(', ')}]`,
  to: `[${to.join(', ')}]`,
});
