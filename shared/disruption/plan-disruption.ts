import { type ClusterSnapshot, findMissingObject } from '../model/cluster-snapshot.ts';
import { type Reason, stateIncomplete } from '../model/explanations/reasons.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict } from '../model/plans.ts';
import { formatInstant } from '../model/time.ts';
import { hideWeightsOfCommand } from '../model/unpriced-plans.ts';
import type { Problem } from '../scheduling/input/problem.ts';
import { listOpenLaunches } from '../scheduling/open-launches.ts';
import { planKeepingHeadroom, prepareCluster } from '../scheduling/removal/removal-state.ts';
import { createBudgetTracker } from './budgets.ts';
import {
  bySavingPerDisruption,
  type Candidate,
  type DisruptionInput,
  evaluateCandidate,
  isEmpty,
  toStaysVerdict,
} from './candidates.ts';
import { planConsolidation } from './consolidation/plan-consolidation.ts';
import { planDrift } from './drift/plan-drift.ts';
import { planStaticDrift } from './drift/plan-static-drift.ts';
import { selectOffHoursNodes } from './off-hours/off-hours-nodes.ts';
import { planOffHours } from './off-hours/plan-off-hours.ts';
import { replaceUnhealthyNode } from './repair/replace-unhealthy.ts';
import { planSurplus } from './surplus/surplus-nodes.ts';

/**
 * Plans the next nodes to remove or replace, and gives every other node a reason why it stays.
 * Order of the methods: unhealthy nodes, empty nodes, off hours, static drift, drift, consolidation.
 *
 * @param running - commands in progress; their nodes count against the budgets
 * @param decision - id of this decision; the command and its replacements are named after it
 */
export function planDisruption(
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
  decision: string,
): DisruptionPlan {
  const plan = planKeepingHeadroom(snapshot, (snapshotWithHeadroom) =>
    planWithHeadroom(snapshotWithHeadroom, running, decision),
  );
  if (!snapshot.unpriced) return plan;
  const { command, more } = plan;
  return {
    ...plan,
    ...(command && { command: hideWeightsOfCommand(command) }),
    ...(more && { more: more.map(hideWeightsOfCommand) }),
  };
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
  const { nodes: offHoursNodes, protectedNodes } = selectOffHoursNodes({ problem, pools, busy });
  const offHours = new Set(offHoursNodes.map(({ claim }) => claim.name));
  const input: DisruptionInput = {
    ...{ problem, snapshot, pools, running, busy, decision, openLaunches },
    ...(offHours.size > 0 && { offHours }),
  };
  const surplus = planSurplus(input);
  const evaluations = problem.existingNodes.map((existingNode) => evaluateCandidate(existingNode, input));
  const drifted = new Set(snapshot.claims.filter(({ drift }) => drift).map(({ name }) => name));
  const staying = [
    ...protectedNodes,
    ...evaluations.flatMap((evaluation) =>
      // A drifted node gets its verdict from the drift methods.
      evaluation.outcome === 'stays' && !drifted.has(evaluation.verdict.claim) ? [evaluation.verdict] : [],
    ),
  ];
  const candidates = evaluations
    .flatMap((evaluation) => (evaluation.outcome === 'candidate' ? [evaluation.candidate] : []))
    .toSorted(bySavingPerDisruption);

  const nonEmpty = candidates.filter((candidate) => !isEmpty(candidate));
  // Before the reasons why nodes stay, which do not count for an unhealthy one.
  const repair = replaceUnhealthyNode(input);
  staying.unshift(...repair.verdicts);
  const methods = [
    () => ({ ...repair, verdicts: [] }),
    () => planEmptiness(candidates.filter(isEmpty), input),
    () => planOffHours(offHoursNodes, input),
    () => planStaticDrift(input),
    () => planDrift(input),
    () => planConsolidation(nonEmpty, input),
  ];
  const verdicts: NodeVerdict[] = [];
  for (const method of methods) {
    const plan = method();
    verdicts.push(...plan.verdicts);
    if (plan.command) return { ...plan, verdicts: keepOneVerdictPerClaim([...staying, ...verdicts]), ...surplus };
  }
  return { verdicts: keepOneVerdictPerClaim([...staying, ...verdicts]), ...surplus };
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

/**
 * Plans the removal of all empty nodes that the budgets allow, with one command.
 *
 * @param candidates - empty nodes, highest saving first
 */
function planEmptiness(candidates: readonly Candidate[], input: DisruptionInput): DisruptionPlan {
  const { problem, busy, decision } = input;
  const { takenAt } = problem.snapshot;
  const budgets = createBudgetTracker(problem.existingNodes, 'Empty', busy, takenAt);
  const removed: Candidate[] = [];
  const verdicts = candidates.map((candidate): NodeVerdict => {
    const refusal = budgets.refusalFor(candidate.pool);
    if (refusal) return toStaysVerdict(candidate, refusal);
    budgets.take(candidate.pool);
    removed.push(candidate);
    const since = formatInstant(candidate.claim.lastPodEventAt ?? candidate.claim.initializedAt ?? takenAt);
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
