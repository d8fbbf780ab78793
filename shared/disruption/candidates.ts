import { formatShortDuration } from '../model/duration.ts';
import type { Reason } from '../model/explanations/reasons.ts';
import { DO_NOT_DISRUPT_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../model/labels.ts';
import { getOrCreate, memoize } from '../model/memo.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import { ownValue } from '../model/own-value.ts';
import type { DisruptionCommand, NodeVerdict } from '../model/plans.ts';
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
import { computeUsedShare, findHourlyUsd } from '../scheduling/removal/node-usage-and-price.ts';

/** Input of every disruption method within one decision. */
export interface DisruptionInput {
  readonly problem: Problem;
  readonly pools: ReadonlyMap<string, NodePool>;
  /** Commands in progress. */
  readonly running: readonly DisruptionCommand[];
  /** Claims that the running commands remove. */
  readonly busy: ReadonlySet<string>;
  /** Id of this decision. */
  readonly decision: string;
  /** Claims that their pools remove in their off hours: only for this reason, and no pods move there. */
  readonly offHours?: ReadonlySet<string>;
  /** Claims that have no instance yet. */
  readonly openLaunches: readonly OpenLaunch[];
}

/** Lists the claims whose nodes receive no pods, because they are about to go. */
export const listLeavingClaims = ({
  busy,
  offHours,
}: Pick<DisruptionInput, 'busy' | 'offHours'>): ReadonlySet<string> =>
  offHours ? new Set([...busy, ...offHours]) : busy;

/** A node that may be disrupted voluntarily, other nodes and budgets aside. */
export interface Candidate {
  readonly existingNode: ExistingNode;
  readonly claim: NodeClaim;
  readonly pool: NodePool;
  /** Current price of its offering; 0 if the catalogue does not have it. */
  readonly hourlyUsd: number;
  /** 1 plus the eviction cost of each pod that must move; methods weigh the saving against it. */
  readonly disruptionCost: number;
  /** Requested share of CPU or memory, whichever is higher: 0 to 1. */
  readonly usedShare: number;
}

type CandidateEligibility =
  | { readonly outcome: 'candidate'; readonly candidate: Candidate }
  | { readonly outcome: 'stays'; readonly verdict: NodeVerdict }
  /** The node is being launched or removed, or is not managed by us; it gets no verdict. */
  | { readonly outcome: 'ignored' };

/**
 * Decides if a node may be considered for emptiness and consolidation, and reports the first
 * obstacle.
 */
export function evaluateCandidate(
  existingNode: ExistingNode,
  input: DisruptionInput,
): CandidateEligibility {
  const candidate = toCandidate(existingNode, input);
  // Consolidation does not change the size of a static pool.
  if (!candidate || candidate.pool.replicas !== undefined) return { outcome: 'ignored' };
  const { claim, pool } = candidate;
  if (input.offHours?.has(claim.name)) return { outcome: 'ignored' };
  const { problem } = input;
  const obstacle =
    findNomination(existingNode, claim, problem) ??
    // Checked before the pods: in a busy cluster most nodes are excluded here.
    findConsolidateAfterObstacle(existingNode, claim, pool, problem.snapshot.takenAt) ??
    findConsolidationObstacle(existingNode, claim, problem) ??
    findOpenLaunch(existingNode, input);
  if (obstacle)
    return { outcome: 'stays', verdict: { claim: claim.name, outcome: 'stays', ...obstacle } };
  return { outcome: 'candidate', candidate };
}

/**
 * `undefined` if the node is being launched or removed, is not managed by us, or its pool or the
 * pool's types are unknown.
 */
export function toCandidate(
  existingNode: ExistingNode,
  { problem, pools, busy }: Pick<DisruptionInput, 'problem' | 'pools' | 'busy'>,
): Candidate | undefined {
  const { claim, node } = existingNode;
  if (
    !claim ||
    !node ||
    existingNode.leaving ||
    claim.initializedAt === undefined ||
    busy.has(claim.name)
  ) {
    return undefined;
  }
  const pool = pools.get(claim.pool);
  if (!pool || (ownValue(problem.snapshot.instanceTypes, pool.name) ?? []).length === 0)
    return undefined;
  return {
    existingNode,
    claim,
    pool,
    hourlyUsd: findHourlyUsd(claim, problem),
    disruptionCost: computeDisruptionCost(existingNode),
    usedShare: computeUsedShare(existingNode, problem),
  };
}

interface Obstacle {
  readonly reason: Reason;
  readonly lookAgainAt?: EpochMs;
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
function findOpenLaunch(
  existingNode: ExistingNode,
  { problem, openLaunches }: DisruptionInput,
): Obstacle | undefined {
  const receiver = findReceivingLaunch(existingNode, { problem, openLaunches });
  if (receiver) return receiver;
  const launch = openLaunches.find((one) => couldHoldExpected(existingNode, one, problem));
  return launch && isBeingLaunched(launch, 'its pods would find room here');
}

/** Finds a claim that has no instance yet and could take pods of the node. */
export function findReceivingLaunch(
  existingNode: ExistingNode,
  { problem, openLaunches }: Pick<DisruptionInput, 'problem' | 'openLaunches'>,
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
): Obstacle | undefined =>
  findDoNotDisrupt(existingNode, claim) ?? findBlockingPod(existingNode, problem);

export function findDoNotDisrupt(
  { node, name }: ExistingNode,
  { keptByHand }: NodeClaim,
): Obstacle | undefined {
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

function findBlockingPod(existingNode: ExistingNode, { snapshot }: Problem): Obstacle | undefined {
  const { name, pods } = existingNode;
  const { takenAt: now, podDisruptionBudgets, restarts } = snapshot;
  for (const pod of listProtectedPods(existingNode)) {
    if (!blocksByAnnotation(pod, now)) continue;
    const until = findDoNotDisruptEnd(pod) ?? Infinity;
    const fields = {
      node: name,
      object: `pod ${podKey(pod)}`,
      until: until < Infinity ? formatInstant(until) : 'it is removed',
    };
    const reason: Reason = { code: 'blocked-by-do-not-disrupt', fields };
    return { reason, ...(until < Infinity ? { lookAgainAt: until } : {}) };
  }
  if (podDisruptionBudgets.length === 0) return undefined;
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
function findBlockingBudget(pod: Pod, budgets: readonly PodDisruptionBudget[]): Reason | undefined {
  const [budget, second] = listMatchingBudgets(pod, budgets);
  if (!budget) return undefined;
  const names = second ? `${podKey(budget)} and ${podKey(second)} together` : podKey(budget);
  if (!second && (budget.disruptionsAllowed > 0 || canEvictUnhealthy(pod, budget)))
    return undefined;
  const { minAvailable, maxUnavailable, currentHealthy } = budget;
  const rule =
    minAvailable === undefined
      ? `maxUnavailable ${maxUnavailable ?? '1'}`
      : `minAvailable ${minAvailable}`;
  const fields = { pod: podKey(pod), pdb: names, rule, healthy: `${currentHealthy}` };
  return { code: 'blocked-by-pdb', fields };
}

/** consolidateAfter counts from the last pod event on the node, or from its initialization. */
function findConsolidateAfterObstacle(
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

/**
 * Nodes within their consolidateAfter window must not receive pods, because that would restart the
 * window.
 */
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

/** No pod has to move: DaemonSet pods and finished pods end with the node. */
export const isEmpty = ({ disruptionCost: cost }: Candidate): boolean => cost <= 1;

/** Highest saving per disruption first; ties by name, so that equal snapshots give equal plans. */
export const bySavingPerDisruption = (a: Candidate, b: Candidate): number =>
  b.hourlyUsd / b.disruptionCost - a.hourlyUsd / a.disruptionCost ||
  (a.claim.name < b.claim.name ? -1 : 1);
