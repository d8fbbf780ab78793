import type { InterruptionCause } from '../../model/nodes/interruption.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import {
  hasActiveDoNotDisrupt,
  isTerminating,
  isWaitingForEviction,
  STUCK_TERMINATING_MS,
} from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { isDaemon, type PodDisruptionBudget } from '../../model/pods/workload.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Effect } from '../step.ts';
import {
  type InterruptedPod,
  type NoticePeriod,
  scheduleDeletionsBeforeInterruption,
} from './interruption-deletions.ts';

/**
 * Minimum grace period of a deleted pod: 0 would remove it from the API while its containers run.
 */
const MIN_GRACE_MS = SECOND_MS;

interface DrainPlan {
  readonly effects: readonly Effect[];
  /** Pods that must leave the node before its instance ends. */
  readonly waiting: readonly Pod[];
  /** Those that must leave before the next tier is evicted, without those that are deleted now. */
  readonly next: readonly Pod[];
  /** When the plan changes by time alone; `undefined` if it does not. */
  readonly wakeAt?: EpochMs;
}

/** When a drain must be over; undefined times mean that pods are awaited without limit. */
export interface DrainLimit {
  readonly deadline?: EpochMs;
  /** Set if EC2 takes the instance at the deadline: when the controller began to drain for that. */
  readonly noticedAt?: EpochMs;
}

/** Interruptions with a notice of two minutes. The others have no deadline, or it has passed. */
const NOTICED_CAUSES: ReadonlySet<InterruptionCause | undefined> = new Set([
  'spot_interrupted',
  'capacity_reservation_interrupted',
]);

/**
 * A deadline from the claim's terminationGracePeriod works as in Karpenter: a pod is deleted early
 * enough for its own grace period to end by the deadline.
 */
export function toDrainLimit(claim: NodeClaim): DrainLimit {
  const { drainDeadline, deletingAt, interruption, terminationGracePeriodMs = Infinity } = claim;
  if (drainDeadline === undefined || deletingAt === undefined) return {};
  const isNotice = NOTICED_CAUSES.has(interruption) && drainDeadline < deletingAt + terminationGracePeriodMs;
  return { deadline: drainDeadline, ...(isNotice && { noticedAt: deletingAt }) };
}

/** The notice after which EC2 takes the claim's instance; `undefined` if it had none. */
export function findNoticePeriod(claim: NodeClaim): NoticePeriod | undefined {
  const { deadline, noticedAt } = toDrainLimit(claim);
  return deadline === undefined || noticedAt === undefined ? undefined : { deadline, noticedAt };
}

/**
 * Plans the next evictions of a node. A pod whose grace period would outlast the deadline is
 * deleted regardless of its budgets; the others are evicted tier by tier, critical pods last. Pods
 * that tolerate the disrupted taint stay, because DaemonSets would recreate them forever.
 *
 * After an interruption notice all pods are evicted first, and pods that a budget or do-not-disrupt
 * protects are deleted as late as their shutdown allows; see `scheduleDeletionsBeforeInterruption`.
 *
 * @param budgets - those that may select the pods
 * @param elsewhere - pods of these budgets on other nodes that EC2 takes soon
 */
export function planDrain(
  pods: readonly Pod[],
  now: EpochMs,
  { deadline, noticedAt }: DrainLimit = {},
  budgets: readonly PodDisruptionBudget[] = [],
  elsewhere: readonly InterruptedPod[] = [],
): DrainPlan {
  const waiting = pods.filter((pod) => isWaitingForEviction(pod, now));
  const forceTimes =
    noticedAt === undefined || deadline === undefined
      ? new Map(waiting.map((pod) => [pod, computeForceTime(pod, deadline)]))
      : scheduleDeletionsBeforeInterruption(waiting, budgets, { deadline, noticedAt }, elsewhere);
  const forced = waiting.filter((pod) => mustForceDelete(pod, now, forceTimes, deadline));
  const evictable = waiting.filter((pod) => !forced.includes(pod));

  const next = findLowestTier(evictable);
  const effects = [
    ...forced.map((pod) => forceDelete(pod, now, deadline)),
    ...next
      .filter((pod) => !isTerminating(pod) && !hasActiveDoNotDisrupt(pod, now))
      .map((pod): Effect => ({ kind: 'evict', pod })),
  ];
  return { effects, waiting, next, ...findWakeTime(waiting, now, forceTimes) };
}

/** Times after which pods are deleted regardless of their budgets. */
type ForceTimes = ReadonlyMap<Pod, EpochMs>;

const computeForceTime = ({ spec }: Pod, deadline = Number.POSITIVE_INFINITY): EpochMs =>
  deadline - spec.terminationGracePeriodMs;

function mustForceDelete(pod: Pod, now: EpochMs, times: ForceTimes, deadline: EpochMs | undefined): boolean {
  if (deadline === undefined) return false;
  return pod.deletionAt === undefined ? now > (times.get(pod) ?? Number.POSITIVE_INFINITY) : pod.deletionAt > deadline;
}

function forceDelete(pod: Pod, now: EpochMs, deadline = now): Effect {
  const remainingMs = Math.floor((deadline - now) / SECOND_MS) * SECOND_MS;
  return { kind: 'delete-pod', pod, gracePeriodMs: Math.max(remainingMs, MIN_GRACE_MS) };
}

/** The pods of the lowest tier; a tier waits until the one below is gone. */
function findLowestTier(pods: readonly Pod[]): readonly Pod[] {
  const lowest = Math.min(...pods.map(tierOf));
  return pods.filter((pod) => tierOf(pod) === lowest);
}

const CRITICAL_CLASSES: readonly string[] = ['system-cluster-critical', 'system-node-critical'];

/** Compares the class's name, because users may define classes with higher values. */
const isCritical = ({ spec }: Pod): boolean =>
  spec.priorityClassName !== undefined && CRITICAL_CLASSES.includes(spec.priorityClassName);

const tierOf = (pod: Pod): number => (isCritical(pod) ? 2 : 0) + (isDaemon(pod) ? 1 : 0);

function findWakeTime(pods: readonly Pod[], now: EpochMs, times: ForceTimes): { wakeAt?: EpochMs } {
  const changeTimes = pods
    .map((pod) => computeChangeTime(pod, times.get(pod)))
    .filter((at) => at > now && Number.isFinite(at));
  return changeTimes.length > 0 ? { wakeAt: Math.min(...changeTimes) } : {};
}

// Adds a millisecond, because both rules apply after the instant, not at it.
const computeChangeTime = (pod: Pod, forceAt = Number.POSITIVE_INFINITY): EpochMs =>
  1 + (pod.deletionAt === undefined ? forceAt : pod.deletionAt + STUCK_TERMINATING_MS);

/**
 * Records what blocks the drain, each blocker with the time of its first refusal.
 *
 * @param blockers - current budgets and other blockers, without duplicates
 * @returns `claim` itself if nothing changed
 */
export function recordDrainBlockers(claim: NodeClaim, blockers: readonly string[], now: EpochMs): NodeClaim {
  const recorded = claim.heldUpBy ?? {};
  const isUnchanged =
    blockers.length === Object.keys(recorded).length &&
    blockers.every((blocker) => ownValue(recorded, blocker) !== undefined);
  if (isUnchanged) return claim;

  const heldUpBy = Object.fromEntries(blockers.map((blocker) => [blocker, ownValue(recorded, blocker) ?? now]));
  return { ...claim, heldUpBy };
}
