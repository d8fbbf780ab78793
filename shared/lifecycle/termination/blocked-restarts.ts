import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import {
  canEvictUnhealthy,
  hasActiveDoNotDisrupt,
  isFullyBlocking,
  isTerminating,
  isWaitingForEviction,
  listMatchingBudgets,
} from '../../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../model/pods/pod.ts';
import { mayBeRestarted, toOwnerKey } from '../../model/pods/restarts.ts';
import type { PodDisruptionBudget } from '../../model/pods/workload.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { Observed } from '../observed.ts';
import type { Effect } from '../step.ts';

/** A budget that allows evictions at times, for example after a rollout, gets this long. */
const REFUSED_FOR_MS = 30 * SECOND_MS;
/** A rollout usually ends within this time; else it is tried again. */
const RETRY_AFTER_MS = 10 * MINUTE_MS;

interface RestartPlan {
  /** The claim with the times of the restarts; the input itself if there are none. */
  readonly claim: NodeClaim;
  readonly effects: readonly Effect[];
}

/**
 * Plans restarts of Deployments whose pods hold up the drain: a rolling update starts the
 * replacement of a pod elsewhere, because the Node is tainted, and removes the pod once the
 * replacement is ready. Only for pods whose template has the annotation, and only if a budget
 * refuses their eviction.
 */
export function planRestarts(
  claim: NodeClaim,
  { pods, budgets = [], now }: Pick<Observed, 'pods' | 'budgets' | 'now'>,
): RestartPlan {
  const blocked = pods.filter((pod) => mayRestart(pod, now) && isBlocked(pod, budgets, claim, now));
  const byOwner = new Map(blocked.map((pod) => [toOwnerKey(pod), pod]));
  const due = [...byOwner].filter(([owner]) => isDue(claim, owner, now));
  if (due.length === 0) return { claim, effects: [] };
  const restarts = { ...claim.restarts, ...Object.fromEntries(due.map(([owner]) => [owner, now])) };
  return {
    claim: { ...claim, restarts },
    effects: due.map(([, pod]): Effect => ({ kind: 'restart-owner', pod })),
  };
}

/**
 * Records why restarts of a step were refused, until they are tried again.
 *
 * @param before - the claim before the step
 */
export function recordRefusedRestarts(
  before: NodeClaim,
  { refusedRestarts = {}, ...after }: NodeClaim,
  refused: ReadonlyMap<Pod, string>,
): NodeClaim {
  const { restarts: earlier = {} } = before;
  const { restarts = {} } = after;
  const kept = Object.entries(refusedRestarts).filter(
    ([owner]) => ownValue(restarts, owner) === ownValue(earlier, owner),
  );
  const added = [...refused].map(([pod, why]) => [toOwnerKey(pod), why] as const);
  const all = [...kept, ...added];
  return all.length === 0 ? after : { ...after, refusedRestarts: Object.fromEntries(all) };
}

/** Also of other owners than Deployments: the attempt tells why they cannot be restarted. */
const mayRestart = (pod: Pod, now: EpochMs): boolean =>
  mayBeRestarted(pod) && !isTerminating(pod) && !hasActiveDoNotDisrupt(pod, now) && isWaitingForEviction(pod, now);

const isDue = ({ restarts = {} }: NodeClaim, owner: string, now: EpochMs): boolean =>
  now >= (ownValue(restarts, owner) ?? Number.NEGATIVE_INFINITY) + RETRY_AFTER_MS;

function isBlocked(
  pod: Pod,
  budgets: readonly PodDisruptionBudget[],
  { heldUpBy = {} }: NodeClaim,
  now: EpochMs,
): boolean {
  const matching = listMatchingBudgets(pod, budgets);
  const [budget, another] = matching;
  if (!budget) return false;
  // The API server evicts no pod under two budgets.
  if (another) return true;
  if (budget.disruptionsAllowed > 0 || canEvictUnhealthy(pod, budget)) return false;
  const since = ownValue(heldUpBy, podKey(budget));
  return isFullyBlocking(budget) || (since !== undefined && now >= since + REFUSED_FOR_MS);
}
