import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import { RESTART_WHEN_BLOCKED_ANNOTATION } from '../labels.ts';
import type { NodeClaim } from '../nodes/node-claim.ts';
import { ownValue } from '../own-value.ts';
import type { EpochMs } from '../time.ts';
import {
  canEvictUnhealthy,
  isCurrentlyReschedulable,
  isEvictable,
  isFullyBlocking,
  listMatchingBudgets,
} from './disruption-pods.ts';
import { findTemplateOwner, type Pod, podKey, toOwnerUid } from './pod.ts';
import type { OwnerRestart, PodDisruptionBudget } from './workload.ts';

/** True if a drain restarts the pod's Deployment when a budget blocks the pod. */
export const mayBeRestarted = ({ annotations }: Pod): boolean =>
  annotations[RESTART_WHEN_BLOCKED_ANNOTATION] === 'true';

/** Finds what is known of the restart of the pod's owner; `undefined` if nothing is. */
export const findOwnerRestart = (pod: Pod, restarts: readonly OwnerRestart[] = []): OwnerRestart | undefined =>
  restarts.length > 0 && mayBeRestarted(pod) ? restarts.find(({ owner }) => owner === toOwnerUid(pod)) : undefined;

/** True if the pod moves, by an eviction or a restart, if its node goes now. */
export function isMovedFromNode(pod: Pod, { podDisruptionBudgets, restarts, takenAt }: BlockedPods): boolean {
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
  const annotated = pods.filter((pod) => pod.nodeName !== undefined && mayBeRestarted(pod) && isEvictable(pod, now));
  if (annotated.length === 0) return [];
  const isBlockedForGood = (pod: Pod): boolean => {
    const [budget, another] = listMatchingBudgets(pod, budgets);
    if (!budget) return false;
    // The API server evicts no pod under two budgets.
    if (another) return true;
    if (budget.disruptionsAllowed > 0 || canEvictUnhealthy(pod, budget)) return false;
    return isFullyBlocking(budget) || budget.currentHealthy >= budget.expectedPods;
  };
  const blocked = annotated.filter(isBlockedForGood);
  return [...new Map(blocked.map((pod) => [toOwnerUid(pod), pod])).values()];
}

/** The last try of a drain to restart the owner of a pod. */
interface TriedRestart {
  /** `Deployment/web`. */
  readonly owner: string;
  readonly at: EpochMs;
  /** Why it was not restarted; `undefined` if a rollout replaces the pod. */
  readonly obstacle?: string;
}

/** Names the owner of a pod, or a pod without one, as a claim records it. */
export const toOwnerKey = ({ namespace, name, owner }: Pod): string => podKey({ namespace, name: owner?.name ?? name });

/** Finds what a drain has tried to move the pod; `undefined` if it has tried nothing. */
export function findTriedRestart(
  pod: Pod,
  { restarts, refusedRestarts }: Pick<NodeClaim, 'restarts' | 'refusedRestarts'>,
): TriedRestart | undefined {
  const key = toOwnerKey(pod);
  const at = mayBeRestarted(pod) ? ownValue(restarts ?? {}, key) : undefined;
  if (at === undefined) return undefined;
  const obstacle = ownValue(refusedRestarts ?? {}, key);
  return { owner: findTemplateOwner(pod), at, ...(obstacle !== undefined && { obstacle }) };
}
