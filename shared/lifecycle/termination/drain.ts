import type { NodeClaim } from '../../model/nodes/node-claim.ts';
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

/** A forced pod still gets this long: a grace of 0 would take it out of the API while it runs. */
const MIN_GRACE_MS = SECOND_MS;

interface DrainPlan {
  readonly effects: readonly Effect[];
  /** Pods that the node has to lose before it may go. */
  readonly waiting: readonly Pod[];
  /** When time alone changes what is to be done; absent: it does not. */
  readonly wakeAt?: EpochMs;
}

/**
 * What to do about a node's pods now. A pod whose grace period would outlast the deadline is
 * deleted past every budget; the others are asked to leave tier by tier, so that what serves them
 * goes last. Pods that tolerate the disrupted taint stay, or DaemonSets would bring them back for
 * ever.
 *
 * @param deadline - absent: pods are waited for as long as it takes
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

/** The pods of the lowest tier that has any: a tier waits until the one below is gone. */
function findLowestTier(pods: readonly Pod[]): readonly Pod[] {
  const lowest = Math.min(...pods.map(tierOf));
  return pods.filter((pod) => tierOf(pod) === lowest);
}

const CRITICAL_CLASSES: readonly string[] = ['system-cluster-critical', 'system-node-critical'];

/** By the class's name, not its number: users may define higher ones. */
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

// One millisecond later, because both rules say "after", not "at".
const computeChangeTime = (pod: Pod, deadline = Number.POSITIVE_INFINITY): EpochMs =>
  1 +
  (pod.deletionAt === undefined
    ? deadline - pod.spec.terminationGracePeriodMs
    : pod.deletionAt + STUCK_TERMINATING_MS);

/**
 * Keeps what holds the drain up, each since its first refusal.
 *
 * @param blockers - budgets, and pods that something else keeps, as of just now and without repetition
 * @returns the very claim that came in, if nothing changed
 */
export function recordDrainBlockers(
  claim: NodeClaim,
  blockers: readonly string[],
  now: EpochMs,
): NodeClaim {
  const recorded = claim.heldUpBy ?? {};
  const isUnchanged =
    blockers.length === Object.keys(recorded).length &&
    blockers.every((blocker) => recorded[blocker] !== undefined);
  if (isUnchanged) return claim;

  const heldUpBy = Object.fromEntries(
    blockers.map((blocker) => [blocker, recorded[blocker] ?? now]),
  );
  return { ...claim, heldUpBy };
}
