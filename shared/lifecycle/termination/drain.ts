import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import {
  hasActiveDoNotDisrupt,
  isTerminating,
  isWaitingForEviction,
  STUCK_TERMINATING_MS,
} from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Effect } from '../step.ts';

/**
 * Minimum grace period of a deleted pod: 0 would remove it from the API while its containers run.
 */
const MIN_GRACE_MS = SECOND_MS;

interface DrainPlan {
  readonly effects: readonly Effect[];
  /** Pods that must leave the node before its instance ends. */
  readonly waiting: readonly Pod[];
  /** When the plan changes by time alone; `undefined` if it does not. */
  readonly wakeAt?: EpochMs;
}

/**
 * Plans the next evictions of a node. A pod whose grace period would outlast the deadline is
 * deleted regardless of its budgets; the others are evicted tier by tier, critical pods last. Pods
 * that tolerate the disrupted taint stay, because DaemonSets would recreate them forever.
 *
 * @param deadline - default: pods are awaited without limit
 */
export function planDrain(pods: readonly Pod[], now: EpochMs, deadline?: EpochMs): DrainPlan {
  const waiting = pods.filter((pod) => isWaitingForEviction(pod, now));
  const forced = waiting.filter((pod) => mustForceDelete(pod, now, deadline));
  const evictable = waiting.filter((pod) => !forced.includes(pod));

  const effects = [
    ...forced.map((pod) => forceDelete(pod, now, deadline)),
    ...findLowestTier(evictable)
      .filter((pod) => !isTerminating(pod) && !hasActiveDoNotDisrupt(pod, now))
      .map((pod): Effect => ({ kind: 'evict', pod })),
  ];
  return { effects, waiting, ...findWakeTime(waiting, now, deadline) };
}

function mustForceDelete(pod: Pod, now: EpochMs, deadline: EpochMs | undefined): boolean {
  if (deadline === undefined) return false;
  return pod.deletionAt === undefined
    ? now > deadline - pod.spec.terminationGracePeriodMs
    : pod.deletionAt > deadline;
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

function findWakeTime(
  pods: readonly Pod[],
  now: EpochMs,
  deadline: EpochMs | undefined,
): { wakeAt?: EpochMs } {
  const changeTimes = pods
    .map((pod) => computeChangeTime(pod, deadline))
    .filter((at) => at > now && Number.isFinite(at));
  return changeTimes.length > 0 ? { wakeAt: Math.min(...changeTimes) } : {};
}

// Adds a millisecond, because both rules apply after the instant, not at it.
const computeChangeTime = (pod: Pod, deadline = Number.POSITIVE_INFINITY): EpochMs =>
  1 +
  (pod.deletionAt === undefined
    ? deadline - pod.spec.terminationGracePeriodMs
    : pod.deletionAt + STUCK_TERMINATING_MS);

/**
 * Records what blocks the drain, each blocker with the time of its first refusal.
 *
 * @param blockers - current budgets and other blockers, without duplicates
 * @returns `claim` itself if nothing changed
 */
export function recordDrainBlockers(
  claim: NodeClaim,
  blockers: readonly string[],
  now: EpochMs,
): NodeClaim {
  const recorded = claim.heldUpBy ?? {};
  const isUnchanged =
    blockers.length === Object.keys(recorded).length &&
    blockers.every((blocker) => ownValue(recorded, blocker) !== undefined);
  if (isUnchanged) return claim;

  const heldUpBy = Object.fromEntries(
    blockers.map((blocker) => [blocker, ownValue(recorded, blocker) ?? now]),
  );
  return { ...claim, heldUpBy };
}
