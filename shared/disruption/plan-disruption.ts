import { type ClusterSnapshot, missingFor } from '../model/cluster-snapshot.ts';
import { type Reason, stateIncomplete } from '../model/explanations/reasons.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict } from '../model/plans.ts';
import { formatInstant } from '../model/time.ts';
import type { Problem } from '../scheduling/input/problem.ts';
import { planKeepingHeadroom, prepareCluster } from '../scheduling/simulate-removal.ts';
import { budgetBook } from './budgets.ts';
import { type Candidate, isEmpty, judge, type Round, worthiestFirst } from './candidates.ts';
import { balancedTotals, notWorthIt } from './consolidation/balanced-policy.ts';
import { consolidate, type Move } from './consolidation/consolidate.ts';
import { outlookOf } from './consolidation/consolidation-state.ts';
import { consolidateSeveral } from './consolidation/multi-node.ts';
import { planDrift } from './drift/plan-drift.ts';
import { planStaticDrift } from './drift/plan-static-drift.ts';

/**
 * Finds the next nodes to remove or replace, and says of every other node why it stays: empty nodes
 * first, then a drifted one, else those whose removal pays best.
 *
 * @param running - commands under way; their nodes count against the budgets
 * @param decision - id of this decision; a command and its replacements are named after it
 */
export function planDisruption(
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
  decision: string,
): DisruptionPlan {
  return planKeepingHeadroom(snapshot, (full) => planWithin(full, running, decision));
}

function planWithin(
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
  decision: string,
): DisruptionPlan {
  const problem = prepareCluster(snapshot);
  const pools = new Map(snapshot.pools.map((pool) => [pool.name, pool]));
  const missing = missingFor('remove', snapshot);
  if (missing) return { verdicts: everyNodeStays(problem, stateIncomplete(missing)) };
  const busy = new Set(running.flatMap(({ candidates }) => candidates));
  const round: Round = { problem, pools, running, busy, decision };
  const judgements = problem.bins.map((bin) => judge(bin, round));
  const drifted = new Set(snapshot.claims.filter(({ drift }) => drift).map(({ name }) => name));
  const held = judgements.flatMap((one) =>
    // Of what has drifted, drift has the first word.
    one.outcome === 'stays' && !drifted.has(one.verdict.claim) ? [one.verdict] : [],
  );
  const candidates = judgements
    .flatMap((one) => (one.outcome === 'candidate' ? [one.candidate] : []))
    .toSorted(worthiestFirst);

  const loaded = candidates.filter((candidate) => !isEmpty(candidate));
  const methods = [
    () => removeEmpty(candidates.filter(isEmpty), round),
    () => planStaticDrift(round),
    () => planDrift(round),
    () => consolidateLoaded(loaded, round),
  ];
  const verdicts: NodeVerdict[] = [];
  for (const method of methods) {
    const plan = method();
    verdicts.push(...plan.verdicts);
    if (plan.command) return { ...plan, verdicts: oneEach([...held, ...verdicts]) };
  }
  return { verdicts: oneEach([...held, ...verdicts]) };
}

/** A drifted node is looked at twice: that it goes says more, and else the first word stands. */
function oneEach(verdicts: readonly NodeVerdict[]): NodeVerdict[] {
  const byClaim = new Map<string, NodeVerdict>();
  for (const verdict of verdicts) {
    if (verdict.outcome === 'goes' || !byClaim.has(verdict.claim)) {
      byClaim.set(verdict.claim, verdict);
    }
  }
  return [...byClaim.values()];
}

/** No decision on missing data: a node that looks empty may not be. */
const everyNodeStays = ({ bins }: Problem, reason: Reason): NodeVerdict[] =>
  bins.flatMap(({ claim }) =>
    claim?.initializedAt === undefined ? [] : [{ claim: claim.name, outcome: 'stays', reason }],
  );

/** All empty nodes that the budgets allow, in one command: nothing has to move. */
function removeEmpty(candidates: readonly Candidate[], round: Round): DisruptionPlan {
  const { problem, busy, decision } = round;
  const { takenAt } = problem.snapshot;
  const budgets = budgetBook(problem.bins, 'Empty', busy, takenAt);
  const taken: Candidate[] = [];
  const verdicts = candidates.map((candidate): NodeVerdict => {
    const refusal = budgets.refusal(candidate.pool);
    if (refusal) return stays(candidate, refusal);
    budgets.take(candidate.pool);
    taken.push(candidate);
    const since = formatInstant(
      candidate.claim.lastPodEventAt ?? candidate.claim.initializedAt ?? takenAt,
    );
    const reason: Reason = { code: 'empty', fields: { claim: candidate.claim.name, since } };
    return { claim: candidate.claim.name, outcome: 'goes', reason };
  });
  if (taken.length === 0) return { verdicts };
  const command: DisruptionCommand = {
    id: decision,
    reason: 'Empty',
    decidedAt: takenAt,
    candidates: taken.map(({ claim }) => claim.name),
    replacements: [],
    placements: [],
    savingHourlyUsd: taken.reduce((total, { hourlyUsd }) => total + hourlyUsd, 0),
  };
  return { command, verdicts };
}

/**
 * Several nodes together, where that saves more than any single one of them; else the first one, in
 * order of worth, that can go. Nodes after it are judged in later rounds.
 */
function consolidateLoaded(candidates: readonly Candidate[], round: Round): DisruptionPlan {
  if (candidates.length === 0) return { verdicts: [] };
  const { problem, pools, busy, decision } = round;
  const { takenAt } = problem.snapshot;
  const outlook = outlookOf(problem, pools, busy);
  const totals = balancedTotals(round);

  const together = withinBudgets(candidates, round);
  const approves = (some: readonly Candidate[], { savingHourlyUsd }: Move): boolean =>
    !notWorthIt(some, savingHourlyUsd, totals);
  const several = consolidateSeveral(together, outlook, decision, approves);
  if (several) return planOfMove(several.candidates, several.move, [], round);

  const budgets = budgetBook(problem.bins, 'Underutilized', busy, takenAt);
  const verdicts: NodeVerdict[] = [];
  for (const candidate of candidates) {
    const refusal =
      onlyWhenEmpty(candidate) ??
      budgets.refusal(candidate.pool) ??
      notWorthIt([candidate], candidate.hourlyUsd, totals);
    if (refusal) {
      verdicts.push(stays(candidate, refusal));
      continue;
    }
    const found = consolidate([candidate], outlook, decision);
    const reason =
      found.outcome === 'stays'
        ? found.reason
        : notWorthIt([candidate], found.savingHourlyUsd, totals);
    if (found.outcome === 'move' && !reason) {
      return planOfMove([candidate], found, verdicts, round);
    }
    if (reason) verdicts.push(stays(candidate, reason));
  }
  return { verdicts };
}

/** As many of them as may go at the same time. */
function withinBudgets(
  candidates: readonly Candidate[],
  { problem, busy }: Round,
): readonly Candidate[] {
  const budgets = budgetBook(problem.bins, 'Underutilized', busy, problem.snapshot.takenAt);
  return candidates.filter((candidate) => {
    if (onlyWhenEmpty(candidate) ?? budgets.refusal(candidate.pool)) return false;
    budgets.take(candidate.pool);
    return true;
  });
}

function planOfMove(
  candidates: readonly Candidate[],
  { replacements, placements, savingHourlyUsd, reason }: Move,
  before: readonly NodeVerdict[],
  { problem, decision }: Round,
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

function onlyWhenEmpty({ pool }: Candidate): Reason | undefined {
  const { policy, consolidateAfterMs } = pool.disruption;
  if (policy !== 'WhenEmpty') return undefined;
  const fields = { pool: pool.name, policy, value: `${Number(consolidateAfterMs) / 1000}s` };
  return { code: 'consolidation-disabled', fields };
}
