import { formatShortDuration } from '../model/duration.ts';
import type { Reason } from '../model/explanations/reasons.ts';
import { DO_NOT_DISRUPT_ANNOTATION } from '../model/labels.ts';
import { memoize } from '../model/memo.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import { ownValue } from '../model/own-value.ts';
import {
  blocksByAnnotation,
  canEvictUnhealthy,
  findDoNotDisruptEnd,
  isEvictable,
  isReschedulable,
  listMatchingBudgets,
} from '../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../model/pods/pod.ts';
import { findOwnerRestart } from '../model/pods/restarts.ts';
import type { PodDisruptionBudget } from '../model/pods/workload.ts';
import { type EpochMs, formatInstant } from '../model/time.ts';
import type { ExistingNode } from '../scheduling/input/existing-nodes.ts';
import type { Problem } from '../scheduling/input/problem.ts';
import { couldHoldExpected, mayReceiveAny, type OpenLaunch } from '../scheduling/open-launches.ts';
import { listMovingPods } from './disruption-cost.ts';

/** A reason that keeps a node in place, and when to look again if that is known. */
export interface Obstacle {
  readonly reason: Reason;
  readonly lookAgainAt?: EpochMs;
}

interface OpenLaunches {
  readonly problem: Problem;
  /** Claims that have no instance yet. */
  readonly openLaunches: readonly OpenLaunch[];
}

export function findNomination(
  existingNode: ExistingNode,
  claim: NodeClaim,
  { snapshot }: Problem,
): Obstacle | undefined {
  const until = Math.max(
    ownValue(snapshot.nominations, existingNode.name) ?? 0,
    ownValue(snapshot.nominations, claim.name) ?? 0,
  );
  if (until <= snapshot.takenAt) return undefined;
  const fields = { node: existingNode.name, until: formatInstant(until) };
  return { reason: { code: 'nominated', fields }, lookAgainAt: until };
}

/**
 * Finds a claim that has no instance yet and could take pods of the node, or whose own pods the
 * node could take if the launch fails. Other launches do not matter.
 */
export function findOpenLaunch(
  existingNode: ExistingNode,
  { problem, openLaunches }: OpenLaunches,
): Obstacle | undefined {
  const receiver = findReceivingLaunch(existingNode, { problem, openLaunches });
  if (receiver) return receiver;
  const launch = openLaunches.find((one) => couldHoldExpected(existingNode, one, problem));
  return launch && isBeingLaunched(launch, 'its pods would find room here');
}

/** Finds a claim that has no instance yet and could take pods of the node. */
export function findReceivingLaunch(
  existingNode: ExistingNode,
  { problem, openLaunches }: OpenLaunches,
): Obstacle | undefined {
  if (openLaunches.length === 0) return undefined;
  const moving = listMovingPods(existingNode);
  const launch = openLaunches.find((one) => mayReceiveAny(one, moving, problem));
  return launch && isBeingLaunched(launch, 'its node could take pods from here');
}

const isBeingLaunched = ({ claim }: OpenLaunch, effect: string): Obstacle => ({
  reason: { code: 'launch-under-way', fields: { claim: claim.name, effect } },
});

/**
 * Finds what keeps a drifted node in place. Pods do not if the claim has a terminationGracePeriod.
 */
export const findDriftObstacle = (
  existingNode: ExistingNode,
  claim: NodeClaim,
  problem: Problem,
): Obstacle | undefined =>
  claim.terminationGracePeriodMs === undefined
    ? findConsolidationObstacle(existingNode, claim, problem)
    : findDoNotDisrupt(existingNode, claim);

/** Finds annotations and pods that keep the node in place. */
export const findConsolidationObstacle = (
  existingNode: ExistingNode,
  claim: NodeClaim,
  problem: Problem,
): Obstacle | undefined => findDoNotDisrupt(existingNode, claim) ?? findBlockingPod(existingNode, problem);

export function findDoNotDisrupt({ node, name }: ExistingNode, { keptByHand }: NodeClaim): Obstacle | undefined {
  // On nodes only the literal "true" protects; durations apply to pods only.
  if (node?.annotations[DO_NOT_DISRUPT_ANNOTATION] === 'true') {
    const fields = { node: name, object: `node ${name}`, until: 'it is removed' };
    return { reason: { code: 'blocked-by-do-not-disrupt', fields } };
  }
  if (keptByHand) {
    const fields = { node: name, object: 'its NodeClaim', until: 'it is removed' };
    return { reason: { code: 'blocked-by-do-not-disrupt', fields } };
  }
  return undefined;
}

/** Finds an annotation without an end that keeps the node. It is told before what passes by itself. */
export function findLastingAnnotation(
  existingNode: ExistingNode,
  claim: NodeClaim,
  { snapshot }: Problem,
): Obstacle | undefined {
  const obstacle = findDoNotDisrupt(existingNode, claim) ?? findProtectedPod(existingNode, snapshot.takenAt);
  return obstacle?.lookAgainAt === undefined ? obstacle : undefined;
}

function findProtectedPod(existingNode: ExistingNode, now: EpochMs): Obstacle | undefined {
  const pod = listProtectedPods(existingNode).find((one) => blocksByAnnotation(one, now));
  if (!pod) return undefined;
  const until = findDoNotDisruptEnd(pod) ?? Infinity;
  const fields = {
    node: existingNode.name,
    object: `pod ${podKey(pod)}`,
    until: until < Infinity ? formatInstant(until) : 'it is removed',
  };
  const reason: Reason = { code: 'blocked-by-do-not-disrupt', fields };
  return { reason, ...(until < Infinity && { lookAgainAt: until }) };
}

function findBlockingPod(existingNode: ExistingNode, { snapshot }: Problem): Obstacle | undefined {
  const { pods } = existingNode;
  const { takenAt: now, podDisruptionBudgets, restarts } = snapshot;
  const kept = findProtectedPod(existingNode, now);
  if (kept || podDisruptionBudgets.length === 0) return kept;
  for (const pod of pods) {
    const blocker = findBlockingBudget(pod, podDisruptionBudgets);
    if (!blocker || !isEvictable(pod, now)) continue;
    const restart = findOwnerRestart(pod, restarts);
    if (!restart) return { reason: blocker };
    if (restart.obstacle !== undefined) {
      const fields = { ...blocker.fields, why: restart.obstacle };
      return { reason: { code: 'blocked-restart', fields } };
    }
  }
  return undefined;
}

/** Few nodes have such pods, and most nodes are the same objects in the next decision. */
const listProtectedPods = memoize(({ pods }: ExistingNode): readonly Pod[] =>
  pods.filter(({ annotations }) => annotations[DO_NOT_DISRUPT_ANNOTATION] !== undefined),
);

/**
 * @see kubernetes, eviction API: a pod under two budgets is never evicted
 */
export function findBlockingBudget(pod: Pod, budgets: readonly PodDisruptionBudget[]): Reason | undefined {
  const [budget, second] = listMatchingBudgets(pod, budgets);
  if (!budget) return undefined;
  const names = second ? `${podKey(budget)} and ${podKey(second)} together` : podKey(budget);
  if (!second && (budget.disruptionsAllowed > 0 || canEvictUnhealthy(pod, budget))) return undefined;
  const { minAvailable, maxUnavailable, currentHealthy } = budget;
  const rule = minAvailable === undefined ? `maxUnavailable ${maxUnavailable ?? '1'}` : `minAvailable ${minAvailable}`;
  const fields = { pod: podKey(pod), pdb: names, rule, healthy: `${currentHealthy}` };
  return { code: 'blocked-by-pdb', fields };
}

/** consolidateAfter counts from the last pod event on the node, or from its initialization. */
export function findConsolidateAfterObstacle(
  { pods }: ExistingNode,
  claim: NodeClaim,
  pool: NodePool,
  now: EpochMs,
): Obstacle | undefined {
  const { consolidateAfterMs, policy } = pool.disruption;
  if (consolidateAfterMs === 'Never') {
    const fields = { pool: pool.name, policy, value: 'Never' };
    return { reason: { code: 'consolidation-disabled', fields } };
  }
  const quietSince = claim.lastPodEventAt ?? claim.initializedAt ?? now;
  const due = quietSince + consolidateAfterMs;
  if (now >= due) return undefined;
  const fields = {
    since: formatShortDuration(now - quietSince),
    wanted: formatShortDuration(consolidateAfterMs),
    at: formatInstant(due),
  };
  const reason: Reason = { code: 'consolidate-after', fields };
  // Only an empty node gets its own wake-up; others wait for the next scheduled check.
  return pods.some(isReschedulable) ? { reason } : { reason, lookAgainAt: due };
}

/** True if pods have come or gone within the consolidateAfter of the node's pool. */
export function isWithinConsolidateAfter(
  { claim }: ExistingNode,
  pools: ReadonlyMap<string, NodePool>,
  now: EpochMs,
): boolean {
  const pool = claim && pools.get(claim.pool);
  if (!pool) return false;
  const { consolidateAfterMs } = pool.disruption;
  if (consolidateAfterMs === 'Never' || consolidateAfterMs === 0) return false;
  const quietSince = claim.lastPodEventAt ?? claim.initializedAt ?? now;
  return now < quietSince + consolidateAfterMs;
}
