import { type ClusterSnapshot, findMissingObject } from '../model/cluster-snapshot.ts';
import { type Reason, stateIncomplete } from '../model/explanations/reasons.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict } from '../model/plans.ts';
import { formatInstant } from '../model/time.ts';
import type { Problem } from '../scheduling/input/problem.ts';
import { listOpenLaunches } from '../scheduling/open-launches.ts';
import { planKeepingHeadroom, prepareCluster } from '../scheduling/simulate-removal.ts';
import { createBudgetTracker } from './budgets.ts';
import {
  bySavingPerDisruption,
  type Candidate,
  type DisruptionInput,
  evaluateCandidate,
  isEmpty,
} from './candidates.ts';
import { computePoolTotals, findUnfavorableScore } from './consolidation/balanced-policy.ts';
import { type ConsolidationMove, consolidate } from './consolidation/consolidate.ts';
import { createConsolidationState } from './consolidation/consolidation-state.ts';
import { consolidateTogether } from './consolidation/multi-node.ts';
import { planDrift } from './drift/plan-drift.ts';
import { planStaticDrift } from './drift/plan-static-drift.ts';

/**
 * Plans the next nodes to remove or replace, and gives every other node a reason why it stays.
 * Order of the methods: empty nodes, static drift, drift, consolidation.
 *
 * @param running - commands in progress; their nodes count against the budgets
 * @param decision - id of this decision; the command and its replacements are named after it
 */
export function planDisruption(
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
  decision: string,
): DisruptionPlan {
  return planKeepingHeadroom(snapshot, (snapshotWithHeadroom) =>
    planWithHeadroom(snapshotWithHeadroom, running, decision),
  );
}

function planWithHeadroom(
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
  decision: string,
): DisruptionPlan {
  const problem = prepareCluster(snapshot);
  const pools = new Map(snapshot.pools.map((pool) => [pool.name, pool]));
  const missing = findMissingObject('remove', snapshot);
  if (missing) return { verdicts: keepAllNodes(problem, stateIncomplete(missing)) };
  const busy = new Set(running.flatMap(({ candidates }) => candidates));
  const openLaunches = listOpenLaunches(problem);
  const input: DisruptionInput = { problem, pools, running, busy, decision, openLaunches };
  const evaluations = problem.existingNodes.map((existingNode) =>
    evaluateCandidate(existingNode, input),
  );
  const drifted = new Set(snapshot.claims.filter(({ drift }) => drift).map(({ name }) => name));
  const heldBack = evaluations.flatMap((evaluation) =>
    // A drifted node gets its verdict from the drift methods.
    evaluation.outcome === 'stays' && !drifted.has(evaluation.verdict.claim)
      ? [evaluation.verdict]
      : [],
  );
  const candidates = evaluations
    .flatMap((evaluation) => (evaluation.outcome === 'candidate' ? [evaluation.candidate] : []))
    .toSorted(bySavingPerDisruption);

  const nonEmpty = candidates.filter((candidate) => !isEmpty(candidate));
  const methods = [
    () => removeEmpty(candidates.filter(isEmpty), input),
    () => planStaticDrift(input),
    () => planDrift(input),
    () => consolidateNonEmpty(nonEmpty, input),
  ];
  const verdicts: NodeVerdict[] = [];
  for (const method of methods) {
    const plan = method();
    verdicts.push(...plan.verdicts);
    if (plan.command)
      return { ...plan, verdicts: keepOneVerdictPerClaim([...heldBack, ...verdicts]) };
  }
  return { verdicts: keepOneVerdictPerClaim([...heldBack, ...verdicts]) };
}

/** Keeps one verdict per claim: `goes` if there is one, else the first. */
function keepOneVerdictPerClaim(verdicts: readonly NodeVerdict[]): NodeVerdict[] {
  const byClaim = new Map<string, NodeVerdict>();
  for (const verdict of verdicts) {
    if (verdict.outcome === 'goes' || !byClaim.has(verdict.claim)) {
      byClaim.set(verdict.claim, verdict);
    }
  }
  return [...byClaim.values()];
}

/** Incomplete data permits no decision: a node that looks empty may not be. */
const keepAllNodes = ({ existingNodes }: Problem, reason: Reason): NodeVerdict[] =>
  existingNodes.flatMap(({ claim }) =>
    claim?.initializedAt === undefined ? [] : [{ claim: claim.name, outcome: 'stays', reason }],
  );

/** Removes all empty nodes that the budgets allow with one command. */
function removeEmpty(candidates: readonly Candidate[], input: DisruptionInput): DisruptionPlan {
  const { problem, busy, decision } = input;
  const { takenAt } = problem.snapshot;
  const budgets = createBudgetTracker(problem.existingNodes, 'Empty', busy, takenAt);
  const removed: Candidate[] = [];
  const verdicts = candidates.map((candidate): NodeVerdict => {
    const refusal = budgets.refusalFor(candidate.pool);
    if (refusal) return stays(candidate, refusal);
    budgets.take(candidate.pool);
    removed.push(candidate);
    const since = formatInstant(
      candidate.claim.lastPodEventAt ?? candidate.claim.initializedAt ?? takenAt,
    );
    const reason: Reason = { code: 'empty', fields: { claim: candidate.claim.name, since } };
    return { claim: candidate.claim.name, outcome: 'goes', reason };
  });
  if (removed.length === 0) return { verdicts };
  const command: DisruptionCommand = {
    id: decision,
    reason: 'Empty',
    decidedAt: takenAt,
    candidates: removed.map(({ claim }) => claim.name),
    replacements: [],
    placements: [],
    savingHourlyUsd: removed.reduce((total, { hourlyUsd }) => total + hourlyUsd, 0),
  };
  return { command, verdicts };
}

/**
 * Removes several nodes together if that saves more than any single removal; else the first
 * candidate that can go. Later decisions evaluate the candidates after it.
 */
function consolidateNonEmpty(
  candidates: readonly Candidate[],
  input: DisruptionInput,
): DisruptionPlan {
  if (candidates.length === 0) return { verdicts: [] };
  const { problem, pools, busy, decision } = input;
  const { takenAt } = problem.snapshot;
  const state = createConsolidationState(problem, pools, busy);
  const totals = computePoolTotals(input);

  const affordable = listWithinBudgets(candidates, input);
  const approves = (group: readonly Candidate[], { savingHourlyUsd }: ConsolidationMove): boolean =>
    !findUnfavorableScore(group, savingHourlyUsd, totals);
  const multiNodeMove = consolidateTogether(affordable, state, decision, approves);
  if (multiNodeMove) return toPlan(multiNodeMove.candidates, multiNodeMove.move, [], input);

  const budgets = createBudgetTracker(problem.existingNodes, 'Underutilized', busy, takenAt);
  const verdicts: NodeVerdict[] = [];
  for (const candidate of candidates) {
    const refusal =
      findWhenEmptyReason(candidate) ??
      budgets.refusalFor(candidate.pool) ??
      findUnfavorableScore([candidate], candidate.hourlyUsd, totals);
    if (refusal) {
      verdicts.push(stays(candidate, refusal));
      continue;
    }
    const consolidation = consolidate([candidate], state, decision);
    const reason =
      consolidation.outcome === 'stays'
        ? consolidation.reason
        : findUnfavorableScore([candidate], consolidation.savingHourlyUsd, totals);
    if (consolidation.outcome === 'move' && !reason) {
      return toPlan([candidate], consolidation, verdicts, input);
    }
    if (reason) verdicts.push(stays(candidate, reason));
  }
  return { verdicts };
}

/** Takes as many candidates as may be disrupted at the same time. */
function listWithinBudgets(
  candidates: readonly Candidate[],
  { problem, busy }: DisruptionInput,
): readonly Candidate[] {
  const budgets = createBudgetTracker(
    problem.existingNodes,
    'Underutilized',
    busy,
    problem.snapshot.takenAt,
  );
  return candidates.filter((candidate) => {
    if (findWhenEmptyReason(candidate) ?? budgets.refusalFor(candidate.pool)) return false;
    budgets.take(candidate.pool);
    return true;
  });
}

function toPlan(
  candidates: readonly Candidate[],
  { replacements, placements, savingHourlyUsd, reason }: ConsolidationMove,
  before: readonly NodeVerdict[],
  { problem, decision }: DisruptionInput,
): DisruptionPlan {
  const names = candidates.map(({ claim }) => claim.name);
  const command: DisruptionCommand = {
    id: decision,
    reason: 'Underutilized',
    decidedAt: problem.snapshot.takenAt,
    candidates: names,
    replacements,
    placements,
    savingHourlyUsd,
  };
  const verdicts = names.map((claim) => ({ claim, outcome: 'goes', reason }) as const);
  return { command, verdicts: [...before, ...verdicts] };
}

const stays = ({ claim }: Candidate, reason: Reason): NodeVerdict => ({
  claim: claim.name,
  outcome: 'stays',
  reason,
});

function findWhenEmptyReason({ pool }: Candidate): Reason | undefined {
  const { policy, consolidateAfterMs } = pool.disruption;
  if (policy !== 'WhenEmpty') return undefined;
  const fields = { pool: pool.name, policy, value: `${Number(consolidateAfterMs) / 1000}s` };
  return { code: 'consolidation-disabled', fields };
}
