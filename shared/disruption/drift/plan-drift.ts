import { shortHash } from '../../model/hash.ts';
import type { DisruptionPlan, NodeVerdict } from '../../model/plans.ts';
import type { Problem } from '../../scheduling/input/problem.ts';
import { isHalfOfWorkDone } from '../../scheduling/removal/plan-without-node.ts';
import { createBudgetTracker } from '../budgets.ts';
import { type DisruptionInput, listLeavingClaims, toStaysVerdict } from '../candidates.ts';
import { type ConsolidationState, createConsolidationState } from '../consolidation/consolidation-state.ts';
import { planReplacement, type Replacement } from '../plan-replacement.ts';
import { createRolloutGuard } from '../rollout/rollout-guard.ts';
import { terminateFirst } from '../terminate-first.ts';
import { type DriftedNode, findDriftBackoff, listDriftedNodes, spreadDrift, toDriftedReason } from './drifted-nodes.ts';

/**
 * Plans the replacement of the next drifted node: nodes without pods first, then by age of the
 * drift. Its pods may move to staying nodes and to any number of new nodes, at any price.
 *
 * @see Karpenter, drift
 */
export function planDrift(input: DisruptionInput): DisruptionPlan {
  const { problem, busy, decision } = input;
  const verdicts: NodeVerdict[] = [];
  const drifted = listDriftedNodes(input, verdicts, ({ replicas }) => replicas === undefined);
  const budgets = createBudgetTracker(
    problem.existingNodes,
    'Drifted',
    busy,
    problem.snapshot.takenAt,
    spreadDrift(input),
  );
  const guard = createRolloutGuard(input);
  let state: ConsolidationState | undefined;
  for (const candidate of orderFairly(drifted, problem)) {
    const poolRefusal = budgets.refusalFor(candidate.pool) ?? findDriftBackoff(candidate, input);
    const refusal = poolRefusal ?? guard(candidate.claim, input.running);
    if (refusal) {
      verdicts.push(toStaysVerdict(candidate, refusal));
      continue;
    }
    state ??= createConsolidationState(problem, listLeavingClaims(input));
    const next = drifted.slice(drifted.indexOf(candidate) + 1);
    const about: Omit<Replacement, 'next'> = {
      ...{ decision, reason: 'Drifted', goes: toDriftedReason(candidate) },
      isLasting: ({ claim }) => claim?.drift === undefined,
    };
    const first = planReplacement(candidate, state, { ...about, next });
    const replacement = terminateFirst(first, candidate, input, about);
    verdicts.push(replacement.verdict);
    if (replacement.command) return { command: replacement.command, verdicts };
  }
  return { verdicts };
}

/**
 * Yields the nodes in their order until half of the work is done, and then the others in an order that
 * differs from plan to plan: nodes that cannot be replaced, again and again, do not starve the others.
 */
function* orderFairly(drifted: readonly DriftedNode[], problem: Problem): Generator<DriftedNode> {
  const { takenAt } = problem.snapshot;
  for (const [index, node] of drifted.entries()) {
    if (isHalfOfWorkDone(problem))
      return yield* drifted
        .slice(index)
        .map((one) => ({ one, randomKey: shortHash(`${takenAt} ${one.claim.name}`) }))
        .toSorted((a, b) => (a.randomKey < b.randomKey ? -1 : 1))
        .map(({ one }) => one);
    yield node;
  }
}
