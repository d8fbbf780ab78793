import { parseGoDuration } from '../duration.ts';
import { DO_NOT_DISRUPT_ANNOTATION, type Labels } from '../labels.ts';
import { getOrCreate } from '../memo.ts';
import { selects } from '../requirements/selectors.ts';
import { DISRUPTED_TAINT, findUntoleratedTaint } from '../requirements/taints.ts';
import { type EpochMs, MINUTE_MS } from '../time.ts';
import type { Pod } from './pod.ts';
import { isDaemon, type PodDisruptionBudget } from './workload.ts';

/** A pod counts as stuck this long after its deletion timestamp: its kubelet no longer responds. */
export const STUCK_TERMINATING_MS = MINUTE_MS;

export const isTerminal = ({ phase }: Pod): boolean => phase === 'Succeeded' || phase === 'Failed';

export const isTerminating = ({ deletionAt }: Pod): boolean => deletionAt !== undefined;

/** Neither finished nor terminating. */
export const isActive = (pod: Pod): boolean => !isTerminal(pod) && !isTerminating(pod);

/**
 * True if the pod is not on a node and may still get one. A pod with finalizers can stay for days after
 * its deletion; kube-scheduler does not bind it any more (`skipPodSchedule`).
 */
export const isAwaitingNode = (pod: Pod): boolean => pod.nodeName === undefined && isActive(pod);

/** A mirror pod represents a static pod, which the kubelet runs whatever the API server says. */
const isMirror = ({ owner }: Pod): boolean => owner?.kind === 'Node';

/** Such a pod stays on a node that is being drained and ends with it. */
const toleratesDisruption = ({ spec }: Pod): boolean =>
  findUntoleratedTaint([DISRUPTED_TAINT], spec.tolerations) === undefined;

/**
 * Returns until when the annotation do-not-disrupt protects the pod; `undefined` if it does not.
 *
 * A duration counts from the pod's start. The pod is protected until it has started.
 */
export function findDoNotDisruptEnd({ annotations, startedAt }: Pod): EpochMs | undefined {
  const value = annotations[DO_NOT_DISRUPT_ANNOTATION];
  if (value === undefined) return undefined;
  if (value === 'true') return Number.POSITIVE_INFINITY;

  const forMs = parseGoDuration(value);
  if (forMs === undefined || forMs <= 0) return undefined;
  return startedAt === undefined ? Number.POSITIVE_INFINITY : startedAt + forMs;
}

export const hasActiveDoNotDisrupt = (pod: Pod, now: EpochMs): boolean =>
  now < (findDoNotDisruptEnd(pod) ?? Number.NEGATIVE_INFINITY);

/**
 * True if the pod keeps its node from graceful disruption. DaemonSet and mirror pods count, too.
 */
export const blocksByAnnotation = (pod: Pod, now: EpochMs): boolean => hasActiveDoNotDisrupt(pod, now) && isActive(pod);

/**
 * True if the pod needs another place once its node is gone. A StatefulSet's pod counts also while
 * it terminates.
 */
export const isReschedulable = (pod: Pod): boolean =>
  (isActive(pod) || (isTerminating(pod) && pod.owner?.kind === 'StatefulSet')) && !isDaemon(pod) && !isMirror(pod);

export const isEvictable = (pod: Pod, now: EpochMs): boolean =>
  isActive(pod) && !toleratesDisruption(pod) && !isMirror(pod) && !hasActiveDoNotDisrupt(pod, now);

const isStuckTerminating = ({ deletionAt }: Pod, now: EpochMs): boolean =>
  deletionAt !== undefined && now > deletionAt + STUCK_TERMINATING_MS;

/** True if a drain removes the pod. do-not-disrupt only delays that. */
export const isDrainable = (pod: Pod, now: EpochMs): boolean =>
  !toleratesDisruption(pod) && !isStuckTerminating(pod, now) && !isMirror(pod);

export const isWaitingForEviction = (pod: Pod, now: EpochMs): boolean => !isTerminal(pod) && isDrainable(pod, now);

/** True if kube-scheduler found no place for the pod and a new node may help. */
export const isProvisionable = (pod: Pod): boolean =>
  pod.unschedulableSince !== undefined &&
  isAwaitingNode(pod) &&
  pod.nominatedNodeName === undefined &&
  !isDaemon(pod) &&
  !isMirror(pod);

/**
 * True if kube-scheduler still has to evaluate the pod: it is not bound, not unschedulable and not
 * gated.
 */
export const isUnevaluated = (pod: Pod): boolean =>
  isAwaitingNode(pod) &&
  pod.nominatedNodeName === undefined &&
  pod.unschedulableSince === undefined &&
  pod.spec.schedulingGates.length === 0 &&
  !isDaemon(pod) &&
  !isMirror(pod);

// Pods of one template share their labels object, and the same list of budgets is used for
// thousands of pods.
const budgetCache = new WeakMap<
  readonly PodDisruptionBudget[],
  WeakMap<Labels, Map<string, readonly PodDisruptionBudget[]>>
>();

/** Lists the budgets that select the pod. The eviction API refuses pods with more than one. */
export function listMatchingBudgets(
  { namespace, labels }: Pod,
  budgets: readonly PodDisruptionBudget[],
): readonly PodDisruptionBudget[] {
  if (budgets.length === 0) return budgets;
  const byLabels = getOrCreate(budgetCache, budgets, () => new WeakMap());
  const byNamespace = getOrCreate(byLabels, labels, () => new Map());
  return getOrCreate(byNamespace, namespace, () =>
    budgets.filter((budget) => budget.namespace === namespace && selects(budget.selector, labels)),
  );
}

/** True if the budget never allows an eviction, however many pods are healthy. */
export const isFullyBlocking = ({ maxUnavailable, minAvailable }: PodDisruptionBudget): boolean =>
  maxUnavailable === '0' || maxUnavailable === '0%' || minAvailable === '100%';

/** True if the budget lets an unhealthy pod be evicted at any time. */
export const canEvictUnhealthy = ({ ready }: Pod, { unhealthyPodEvictionPolicy }: PodDisruptionBudget): boolean =>
  !ready && unhealthyPodEvictionPolicy === 'AlwaysAllow';

/** True if the pod moves if its node goes now, so that a simulation has to place it. */
export function isCurrentlyReschedulable(pod: Pod, budgets: readonly PodDisruptionBudget[], now: EpochMs): boolean {
  if (!isReschedulable(pod) || hasActiveDoNotDisrupt(pod, now)) return false;

  const [budget, another] = listMatchingBudgets(pod, budgets);
  if (another) return false;
  return !budget || !isFullyBlocking(budget) || canEvictUnhealthy(pod, budget);
}
