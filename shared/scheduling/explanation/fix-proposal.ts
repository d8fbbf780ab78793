import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import { ARCH_LABEL, CAPACITY_TYPE_LABEL, OS_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Fix, FixChange } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import type { Problem } from '../input/problem.ts';
import { findCheapestType, type NewNode } from '../packing/new-nodes/new-node.ts';

/** A change, with others that it needs, and the snapshot with them. */
export interface FixProposal extends FixChange, Pick<Fix, 'and'> {
  readonly snapshot: ClusterSnapshot;
  readonly pods: readonly Pod[];
  /** Set if the pods cannot run without the change, even if the NodePool refuses them for the same reason after it. */
  readonly isNeeded?: true;
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

/** Images run on one architecture, so that no other one is proposed for want of capacity. */
export const KEPT_LABELS: ReadonlySet<string> = new Set([ARCH_LABEL, OS_LABEL]);

/** Finds the label value of the cheapest node. */
export function findCheapestLabelValue(newNode: NewNode, key: string, problem: Problem): string[] {
  const { typeIndex, offerings } = problem;
  const { type } = findCheapestType(newNode, problem);
  const offering = offerings.cheapest(type, newNode.where);
  if (key === ZONE_LABEL) return offering ? [offering.zone] : [];
  if (key === CAPACITY_TYPE_LABEL) return offering ? [offering.capacityType] : [];
  const value = ownValue(typeIndex.types[type]?.labels, key);
  return value === undefined ? [] : [value];
}
