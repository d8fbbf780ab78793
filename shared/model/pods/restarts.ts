import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { RESTART_WHEN_BLOCKED_ANNOTATION } from '../labels.ts';
import type { EpochMs } from '../time.ts';
import { countBudgetPods } from './budget-pods.ts';
import {
  canEvictUnhealthy,
  isCurrentlyReschedulable,
  isEvictable,
  isFullyBlocking,
  listMatchingBudgets,
} from './disruption-pods.ts';
import type { Pod } from './pod.ts';
import type { OwnerRestart, PodDisruptionBudget } from './workload.ts';

/** True if a drain restarts the pod's Deployment when a budget blocks the pod. */
export const mayBeRestarted = ({ annotations }: Pod): boolean =>
  annotations[RESTART_WHEN_BLOCKED_ANNOTATION] === 'true';

/** Finds what is known of the restart of the pod's owner; `undefined` if nothing is. */
export const findOwnerRestart = (
  pod: Pod,
  restarts: readonly OwnerRestart[] = [],
): OwnerRestart | undefined =>
  restarts.length > 0 && mayBeRestarted(pod)
    ? restarts.find(({ owner }) => owner === toOwnerUid(pod))
    : undefined;

/** The uid of the owner; of the pod itself if it has none. */
export const toOwnerUid = ({ owner, uid }: Pod): string => owner?.uid ?? uid;

/** True if the pod moves, by an eviction or a restart, if its node goes now. */
export function isMovedFromNode(
  pod: Pod,
  { podDisruptionBudgets, restarts, takenAt }: BlockedPods,
): boolean {
  if (isCurrentlyReschedulable(pod, podDisruptionBudgets, takenAt)) return true;
  const restart = findOwnerRestart(pod, restarts);
  return restart !== undefined && restart.obstacle === undefined && isEvictable(pod, takenAt);
}

type BlockedPods = Pick<ClusterSnapshot, 'podDisruptionBudgets' | 'restarts' | 'takenAt'>;

/**
 * Lists one pod of each owner that a drain would restart. A budget that allows no eviction only
 * until a pod is ready again is awaited instead.
 */
export function listPodsToRestart(
  pods: readonly Pod[],
  budgets: readonly PodDisruptionBudget[],
  now: EpochMs,
): readonly Pod[] {
  const annotated = pods.filter(
    (pod) => pod.nodeName !== undefined && mayBeRestarted(pod) && isEvictable(pod, now),
  );
  if (annotated.length === 0) return [];
  const steady = new Set(
    countBudgetPods(annotated, pods, budgets)
      .filter(({ unready }) => unready.length === 0)
      .map(({ budget }) => budget),
  );
  const isBlockedForGood = (pod: Pod): boolean => {
    const [budget, another] = listMatchingBudgets(pod, budgets);
    if (!budget) return false;
    // The API server evicts no pod under two budgets.
    if (another) return true;
    if (budget.disruptionsAllowed > 0 || canEvictUnhealthy(pod, budget)) return false;
    return isFullyBlocking(budget) || steady.has(budget);
  };
  const blocked = annotated.filter(isBlockedForGood);
  return [...new Map(blocked.map((pod) => [toOwnerUid(pod), pod])).values()];
}
