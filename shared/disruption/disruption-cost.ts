import { POD_DELETION_COST_ANNOTATION } from '../model/labels.ts';
import { getOrCreate, memoize } from '../model/memo.ts';
import { isReschedulable } from '../model/pods/disruption-pods.ts';
import type { Pod } from '../model/pods/pod.ts';
import type { ExistingNode } from '../scheduling/input/existing-nodes.ts';

/**
 * @see Karpenter: deletion cost and priority, each scaled down, clamped to ±10
 */
export function computeEvictionCost({ annotations, spec }: Pod): number {
  const written = Number(annotations[POD_DELETION_COST_ANNOTATION] ?? 0);
  const deletionCost = Number.isFinite(written) ? written : 0;
  const cost = 1 + deletionCost / 2 ** 27 + spec.priority / 2 ** 25;
  return Math.min(10, Math.max(-10, cost));
}

// An ExistingNode object is replaced when its pods change, so its identity is a safe key.
const costCache = new WeakMap<ExistingNode, number>();

/** Lists the pods of the node that need another place once it is gone. */
export const listMovingPods = memoize(({ pods }: ExistingNode): readonly Pod[] =>
  pods.filter(isReschedulable),
);

/** 1 plus the eviction cost of each pod that must move. */
export const computeDisruptionCost = (existingNode: ExistingNode): number =>
  getOrCreate(costCache, existingNode, () =>
    listMovingPods(existingNode).reduce(
      (total, pod) => total + Math.max(0, computeEvictionCost(pod)),
      1,
    ),
  );
