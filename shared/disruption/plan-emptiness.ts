import type { Reason } from '../model/explanations/reasons.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict } from '../model/plans.ts';
import { formatInstant } from '../model/time.ts';
import { createBudgetTracker } from './budgets.ts';
import { type Candidate, type DisruptionInput, toStaysVerdict } from './candidates.ts';

/**
 * Plans the removal of all empty nodes that the budgets allow, with one command.
 *
 * @param candidates - empty nodes, highest saving first
 */
export function planEmptiness(candidates: readonly Candidate[], input: DisruptionInput): DisruptionPlan {
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
