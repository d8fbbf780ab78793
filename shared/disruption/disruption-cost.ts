import { DISRUPTION_COST_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../model/labels.ts';
import { getOrCreate, memoize } from '../model/memo.ts';
import { ownValue } from '../model/own-value.ts';
import { isReschedulable } from '../model/pods/disruption-pods.ts';
import type { Pod } from '../model/pods/pod.ts';
import type { ExistingNode } from '../scheduling/input/existing-nodes.ts';

/**
 * @see Karpenter: the user's cost and the priority, each scaled down, clamped to ±10
 */
export function computeEvictionCost({ annotations, spec }: Pod): number {
  const cost = 1 + readUserCost(annotations) / 2 ** 27 + spec.priority / 2 ** 25;
  return Math.min(10, Math.max(-10, cost));
}

const MAX_INT32 = 2 ** 31 - 1;

/** The disruption cost, else the deletion cost of ReplicaSets. A value that cannot be read counts as 0. */
function readUserCost(annotations: Pod['annotations']): number {
  const disruptionCost = ownValue(annotations, DISRUPTION_COST_ANNOTATION);
  if (disruptionCost !== undefined) {
    const cost = /^[+-]?\d+$/.test(disruptionCost) ? Number(disruptionCost) : 0;
    return cost >= -MAX_INT32 - 1 && cost <= MAX_INT32 ? cost : 0;
  }
  const deletionCost = Number(annotations[POD_DELETION_COST_ANNOTATION] ?? 0);
  return Number.isFinite(deletionCost) ? deletionCost : 0;
}

// An ExistingNode object is replaced when its pods change, so its identity is a safe key.
const costCache = new WeakMap<ExistingNode, number>();

/** Lists the pods of the node that need another place once it is gone. */
export const listMovingPods = memoize(({ pods }: ExistingNode): readonly Pod[] => pods.filter(isReschedulable));

/** 1 plus the eviction cost of each pod that must move. */
export const computeDisruptionCost = (existingNode: ExistingNode): number =>
  getOrCreate(costCache, existingNode, () =>
    listMovingPods(existingNode).reduce((total, pod) => total + Math.max(0, computeEvictionCost(pod)), 1),
  );
