import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Reason } from '../model/explanations/reasons.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { DisruptionReason, NodePool } from '../model/nodes/node-pool.ts';
import { ownValue } from '../model/own-value.ts';
import type { DisruptionCommand, NodeVerdict } from '../model/plans.ts';
import type { ExistingNode } from '../scheduling/input/existing-nodes.ts';
import type { Problem } from '../scheduling/input/problem.ts';
import type { OpenLaunch } from '../scheduling/open-launches.ts';
import { computeUsedShare, findHourlyUsd } from '../scheduling/removal/node-usage-and-price.ts';
import { computeDisruptionCost } from './disruption-cost.ts';
import {
  findConsolidateAfterObstacle,
  findConsolidationObstacle,
  findLastingAnnotation,
  findNomination,
  findOpenLaunch,
} from './obstacles.ts';

/** Input of every disruption method within one decision. */
export interface DisruptionInput {
  readonly problem: Problem;
  /** The snapshot of which the problem was made, with all offerings. */
  readonly snapshot: ClusterSnapshot;
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

/** True if a node that has no room for a replacement may be drained before it is launched. */
export const mayTerminateFirst = (reason: DisruptionReason, { settings }: ClusterSnapshot): boolean =>
  (reason === 'Drifted' && settings?.gates.TerminateFirstDrift === true) ||
  (reason === 'Unhealthy' && settings?.gates.TerminateFirstRepair === true);

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
export function evaluateCandidate(existingNode: ExistingNode, input: DisruptionInput): CandidateEligibility {
  const candidate = toCandidate(existingNode, input);
  // Consolidation does not change the size of a static pool.
  if (!candidate || candidate.pool.replicas !== undefined) return { outcome: 'ignored' };
  const { claim, pool } = candidate;
  if (input.offHours?.has(claim.name)) return { outcome: 'ignored' };
  const { problem } = input;
  const obstacle =
    findLastingAnnotation(existingNode, claim, problem) ??
    findNomination(existingNode, claim, problem) ??
    // Checked before the pods: in a busy cluster most nodes are excluded here.
    findConsolidateAfterObstacle(existingNode, claim, pool, problem.snapshot.takenAt) ??
    findConsolidationObstacle(existingNode, claim, problem) ??
    findOpenLaunch(existingNode, input);
  if (obstacle) return { outcome: 'stays', verdict: { claim: claim.name, outcome: 'stays', ...obstacle } };
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
  if (!claim || !node || existingNode.leaving || !existingNode.initialized || busy.has(claim.name)) {
    return undefined;
  }
  const pool = pools.get(claim.pool);
  if (!pool || (ownValue(problem.snapshot.instanceTypes, pool.name) ?? []).length === 0) return undefined;
  return {
    existingNode,
    claim,
    pool,
    hourlyUsd: findHourlyUsd(claim, problem),
    disruptionCost: computeDisruptionCost(existingNode),
    usedShare: computeUsedShare(existingNode, problem),
  };
}

/**
 * True if no pod has to move: DaemonSet pods and finished pods end with the node. As in Karpenter, pods with
 * the lowest deletion cost or priority do not keep a node either: they cost nothing to evict.
 */
export const isEmpty = ({ disruptionCost: cost }: Candidate): boolean => cost <= 1;

/** Highest saving per disruption first. */
export const bySavingPerDisruption = (a: Candidate, b: Candidate): number =>
  b.hourlyUsd / b.disruptionCost - a.hourlyUsd / a.disruptionCost || byClaimName(a, b);

/** Breaks ties, so that equal snapshots give equal plans. */
export const byClaimName = (a: Candidate, b: Candidate): number => (a.claim.name < b.claim.name ? -1 : 1);

export const toStaysVerdict = ({ claim }: Candidate, reason: Reason): NodeVerdict => ({
  claim: claim.name,
  outcome: 'stays',
  reason,
});
