import type { DisruptionPlan, NodeVerdict } from '../../model/plans.ts';
import { listStaticPools } from '../../scheduling/static-claims.ts';
import { createBudgetTracker } from '../budgets.ts';
import { type DisruptionInput, toStaysVerdict } from '../candidates.ts';
import { toPlan } from '../commands-of-decision.ts';
import { createRolloutGuard } from '../rollout/rollout-guard.ts';
import { beginStaticReplacements } from '../static-replacements.ts';
import { findDriftBackoff, listDriftedNodes, spreadDrift, toDriftedReason } from './drifted-nodes.ts';

/**
 * Each replacement costs a commit, a taint and a launch. The limit keeps a decision short; the next
 * one follows soon.
 */
const MAX_REPLACEMENTS = 20;

/**
 * Plans replacements for drifted nodes of static pools, as many as budgets allow.
 *
 * @see Karpenter, static drift
 */
export function planStaticDrift(input: DisruptionInput): DisruptionPlan {
  const { problem, busy, running } = input;
  const pools = new Map(listStaticPools(problem.snapshot).map((pool) => [pool.name, pool]));
  if (pools.size === 0) return { verdicts: [] };
  const verdicts: NodeVerdict[] = [];
  const { takenAt } = problem.snapshot;
  const budgets = createBudgetTracker(problem.existingNodes, 'Drifted', busy, takenAt, spreadDrift(input));
  const guard = createRolloutGuard(input);
  const replacements = beginStaticReplacements(input);
  const { begun } = replacements;
  for (const candidate of listDriftedNodes(input, verdicts, ({ name }) => pools.has(name))) {
    const pool = pools.get(candidate.pool.name);
    if (!pool || begun.length === MAX_REPLACEMENTS) continue;
    const refusal =
      budgets.refusalFor(pool) ??
      findDriftBackoff(candidate, input) ??
      guard(candidate.claim, [...running, ...begun]) ??
      replacements.tryBegin(candidate, pool, { reason: 'Drifted' });
    if (refusal) {
      verdicts.push(toStaysVerdict(candidate, refusal));
    } else {
      budgets.take(pool);
      verdicts.push({ claim: candidate.claim.name, outcome: 'goes', reason: toDriftedReason(candidate) });
    }
  }
  return toPlan(begun, verdicts);
}
