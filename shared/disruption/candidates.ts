import { formatShortDuration } from '../model/duration.ts';
import type { Reason } from '../model/explanations/reasons.ts';
import { DO_NOT_DISRUPT_ANNOTATION, POD_DELETION_COST_ANNOTATION } from '../model/labels.ts';
import { getOrCreate } from '../model/memo.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type { DisruptionCommand, NodeVerdict } from '../model/plans.ts';
import {
  blocksByAnnotation,
  budgetsOf,
  doNotDisruptUntil,
  isEvictable,
  isReschedulable,
  mayGoUnhealthy,
} from '../model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../model/pods/pod.ts';
import type { PodDisruptionBudget } from '../model/pods/workload.ts';
import { type EpochMs, formatInstant } from '../model/time.ts';
import type { ExistingNode } from '../scheduling/input/existing-nodes.ts';
import type { Problem } from '../scheduling/input/problem.ts';
import { computeUsedShare, findHourlyUsd } from '../scheduling/simulate-removal.ts';

/** What all methods of one decision look at. */
export interface DisruptionInput {
  readonly problem: Problem;
  readonly pools: ReadonlyMap<string, NodePool>;
  /** Commands under way. */
  readonly running: readonly DisruptionCommand[];
  /** The claims that those remove. */
  readonly busy: ReadonlySet<string>;
  /** Id of this decision. */
  readonly decision: string;
}

/** A node that may be removed of our own accord, as far as it alone goes. */
export interface Candidate {
  readonly bin: ExistingNode;
  readonly claim: NodeClaim;
  readonly pool: NodePool;
  /** Of its offering as it stands now; 0 when the catalogue does not know it. */
  readonly hourlyUsd: number;
  /** 1 and the cost of each pod that must move: what the price is weighed against. */
  readonly disruptionCost: number;
  /** Of its CPU or its memory, whichever is used more, what its pods ask for: 0 to 1. */
  readonly usedShare: number;
}

type CandidateEligibility =
  | { readonly outcome: 'candidate'; readonly candidate: Candidate }
  | { readonly outcome: 'stays'; readonly verdict: NodeVerdict }
  /** On its way in or out, or not ours: nothing is said of it. */
  | { readonly outcome: 'ignored' };

/** Whether a node may be looked at for emptiness or consolidation; the first obstacle is named. */
export function evaluateCandidate(bin: ExistingNode, input: DisruptionInput): CandidateEligibility {
  const candidate = toCandidate(bin, input);
  // The size of a static pool is its owner's word, whatever its nodes hold.
  if (!candidate || candidate.pool.replicas !== undefined) return { outcome: 'ignored' };
  const { claim, pool } = candidate;
  const { problem } = input;
  const obstacle =
    findNomination(bin, claim, problem) ??
    // Before the pods are looked at: in a busy cluster most nodes end here.
    findConsolidateAfterObstacle(bin, claim, pool, problem.snapshot.takenAt) ??
    findConsolidationObstacle(bin, claim, problem);
  if (obstacle)
    return { outcome: 'stays', verdict: { claim: claim.name, outcome: 'stays', ...obstacle } };
  return { outcome: 'candidate', candidate };
}

/** Absent: it is on its way in or out, is not ours, or nobody knows what its pool is. */
export function toCandidate(
  bin: ExistingNode,
  { problem, pools, busy }: Pick<DisruptionInput, 'problem' | 'pools' | 'busy'>,
): Candidate | undefined {
  const { claim, node } = bin;
  if (!claim || !node || bin.leaving || claim.initializedAt === undefined || busy.has(claim.name)) {
    return undefined;
  }
  const pool = pools.get(claim.pool);
  if (!pool || (problem.snapshot.instanceTypes[pool.name] ?? []).length === 0) return undefined;
  return {
    bin,
    claim,
    pool,
    hourlyUsd: findHourlyUsd(claim, problem),
    disruptionCost: disruptionCost(bin),
    usedShare: computeUsedShare(bin, problem),
  };
}

interface Obstacle {
  readonly reason: Reason;
  readonly lookAgainAt?: EpochMs;
}

export function findNomination(
  bin: ExistingNode,
  claim: NodeClaim,
  { snapshot }: Problem,
): Obstacle | undefined {
  const until = Math.max(
    snapshot.nominations[bin.name] ?? 0,
    snapshot.nominations[claim.name] ?? 0,
  );
  if (until <= snapshot.takenAt) return undefined;
  const fields = { node: bin.name, until: formatInstant(until) };
  return { reason: { code: 'nominated', fields }, lookAgainAt: until };
}

/** What keeps the node where it is: pods no longer than its terminationGracePeriod, if it has one. */
export const findDriftObstacle = (
  bin: ExistingNode,
  claim: NodeClaim,
  problem: Problem,
): Obstacle | undefined =>
  claim.terminationGracePeriodMs === undefined
    ? findConsolidationObstacle(bin, claim, problem)
    : findDoNotDisrupt(bin, claim);

/** Pods and annotations that keep the node where it is. */
const findConsolidationObstacle = (
  bin: ExistingNode,
  claim: NodeClaim,
  problem: Problem,
): Obstacle | undefined => findDoNotDisrupt(bin, claim) ?? findBlockingPod(bin, problem);

function findDoNotDisrupt(
  { node, name }: ExistingNode,
  { keptByHand }: NodeClaim,
): Obstacle | undefined {
  // On nodes only the literal "true" protects; durations mean something on pods alone.
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

function findBlockingPod(
  { name, pods }: ExistingNode,
  { snapshot }: Problem,
): Obstacle | undefined {
  const { takenAt: now, podDisruptionBudgets } = snapshot;
  for (const pod of pods) {
    if (!blocksByAnnotation(pod, now)) continue;
    const until = doNotDisruptUntil(pod) ?? Infinity;
    const fields = {
      node: name,
      object: `pod ${podKey(pod)}`,
      until: until < Infinity ? formatInstant(until) : 'it is removed',
    };
    const reason: Reason = { code: 'blocked-by-do-not-disrupt', fields };
    return { reason, ...(until < Infinity ? { lookAgainAt: until } : {}) };
  }
  for (const pod of pods) {
    const blocker = isEvictable(pod, now)
      ? findBlockingBudget(pod, podDisruptionBudgets)
      : undefined;
    if (blocker) return { reason: blocker };
  }
  return undefined;
}

/** @see kubernetes, eviction API: a pod under two budgets is never evicted */
function findBlockingBudget(pod: Pod, budgets: readonly PodDisruptionBudget[]): Reason | undefined {
  const [budget, second] = budgetsOf(pod, budgets);
  if (!budget) return undefined;
  const names = second ? `${podKey(budget)} and ${podKey(second)} together` : podKey(budget);
  if (!second && (budget.disruptionsAllowed > 0 || mayGoUnhealthy(pod, budget))) return undefined;
  const { minAvailable, maxUnavailable, currentHealthy } = budget;
  const rule =
    minAvailable === undefined
      ? `maxUnavailable ${maxUnavailable ?? '1'}`
      : `minAvailable ${minAvailable}`;
  const fields = { pod: podKey(pod), pdb: names, rule, healthy: `${currentHealthy}` };
  return { code: 'blocked-by-pdb', fields };
}

/** consolidateAfter counts from the last pod that came or went, else from initialization. */
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
  // An empty node is worth a look of its own; others wait for the next scheduled one.
  return pods.some(isReschedulable) ? { reason } : { reason, lookAgainAt: due };
}

/** A node that pods left or came to moments ago must not be a target: its window would start anew. */
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

/** @see Karpenter: deletion cost and priority, each scaled down, clamped to ±10 */
function computeEvictionCost({ annotations, spec }: Pod): number {
  const written = Number(annotations[POD_DELETION_COST_ANNOTATION] ?? 0);
  const deletionCost = Number.isFinite(written) ? written : 0;
  const cost = 1 + deletionCost / 2 ** 27 + spec.priority / 2 ** 25;
  return Math.min(10, Math.max(-10, cost));
}

// A bin is the same object as long as its pods are the same.
const costCache = new WeakMap<ExistingNode, number>();

/** 1 and the cost of each pod that must move. */
export function disruptionCost(bin: ExistingNode): number {
  return getOrCreate(costCache, bin, () => {
    const movingPods = bin.pods.filter(isReschedulable);
    return movingPods.reduce((total, pod) => total + Math.max(0, computeEvictionCost(pod)), 1);
  });
}

/** No pod has to move: what is there (DaemonSets, finished pods) goes with the node. */
export const isEmpty = ({ disruptionCost: cost }: Candidate): boolean => cost <= 1;

/** Money back per disruption, most first; ties by name, so that equal snapshots give equal plans. */
export const bySavingPerDisruption = (a: Candidate, b: Candidate): number =>
  b.hourlyUsd / b.disruptionCost - a.hourlyUsd / a.disruptionCost ||
  (a.claim.name < b.claim.name ? -1 : 1);
