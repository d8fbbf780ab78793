import type { CostBound } from '../../../model/plans.ts';
import type { Pod } from '../../../model/pods/pod.ts';
import type { Assignment } from '../../assignment/assign.ts';
import { NO_NODE_COSTS } from '../../input/node-costs.ts';
import type { Problem } from '../../input/problem.ts';
import { WORK_LIMITS } from '../../input/work-limits.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import type { NewNode } from '../new-nodes/new-node.ts';
import { createLowerBound } from './lower-bound.ts';
import type { EqualPods } from './pod-kinds.ts';

/** The new nodes of a solution and its pods on existing nodes. */
interface PlacedBatch extends Pick<Assignment, 'placed'> {
  readonly newNodes: readonly NewNode[];
  /** Price of the new nodes, in USD per hour. */
  readonly costUsd: number;
  /** The exact bound, if the solution comes with it. */
  readonly bound?: CostBound;
}

/**
 * Compares a solution with a lower bound of its price; undefined if it launches nothing.
 *
 * @param keptPods - pods that another solution could have placed elsewhere
 */
export function computePlanBound(
  problem: Problem,
  { newNodes, placed, costUsd, bound }: PlacedBatch,
  keptPods: readonly Pod[],
): CostBound | undefined {
  if (newNodes.length === 0) return undefined;
  if (bound && keptPods.length === 0) return bound;
  const placedPods = [...listPlacedPods({ newNodes, placed }), ...keptPods.map(({ spec }) => ({ spec, pods: 1 }))];
  return problem.work.tryOptional(WORK_LIMITS.bound, () => {
    const lowerBound = createLowerBound(problem, placedPods);
    return {
      costUsd,
      leastCostUsd: lowerBound(problem.nodeCosts),
      leastHourlyUsd: lowerBound(NO_NODE_COSTS),
    };
  });
}

/** Pods on existing nodes are included: other pods could be in their place. */
function listPlacedPods({ newNodes, placed }: Pick<PlacedBatch, 'newNodes' | 'placed'>): EqualPods[] {
  const placedPods = new Map<PodClass, EqualPods>();
  const add = (cls: PodClass, pods: number, topology?: EqualPods['topology']) => {
    const previous = placedPods.get(cls);
    const rules = topology ?? previous?.topology;
    const sum = pods + (previous?.pods ?? 0);
    placedPods.set(cls, { spec: cls.spec, pods: sum, ...(rules && { topology: rules }) });
  };
  for (const counts of placed.values()) for (const [cls, pods] of counts) add(cls, pods);
  for (const { podCounts } of newNodes) {
    for (const [{ cls, topology }, pods] of podCounts) add(cls, pods, topology);
  }
  return [...placedPods.values()];
}
