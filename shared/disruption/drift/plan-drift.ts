import { reasonText } from '../../model/explanations/reasons.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict } from '../../model/plans.ts';
import type { ExistingBin } from '../../scheduling/input/existing-nodes.ts';
import { listDisplacedPods, planWithoutNode } from '../../scheduling/simulate-removal.ts';
import { budgetBook } from '../budgets.ts';
import { type Outlook, outlookOf } from '../consolidation/consolidation-state.ts';
import type { Round } from '../candidates.ts';
import { rolloutGuard } from '../rollout/rollout-guard.ts';
import { type Drifted, driftedNodes, goesForDrift, resting, staysForNow } from './drifted-nodes.ts';

/**
 * The next drifted node to replace: one without pods first, then the one that drifted first. Its
 * pods may be moved to nodes that stay and to as many new ones as they need, at any price.
 *
 * @see Karpenter, drift
 */
export function planDrift(round: Round): DisruptionPlan {
  const { problem, busy, decision } = round;
  const verdicts: NodeVerdict[] = [];
  const drifted = driftedNodes(round, verdicts, ({ replicas }) => replicas === undefined);
  const budgets = budgetBook(problem.bins, 'Drifted', busy, problem.snapshot.takenAt);
  const guard = rolloutGuard(round);
  let outlook: Outlook | undefined;
  for (const candidate of drifted) {
    const hold = budgets.refusal(candidate.pool) ?? resting(candidate, round);
    const held = hold ?? guard(candidate.claim, round.running);
    if (held) {
      verdicts.push(staysForNow(candidate, held));
      continue;
    }
    outlook ??= outlookOf(problem, round.pools, busy);
    const found = replace(candidate, outlook, decision);
    verdicts.push(found.verdict);
    if (found.command) return { command: found.command, verdicts };
  }
  return { verdicts };
}

interface Found {
  readonly command?: DisruptionCommand;
  readonly verdict: NodeVerdict;
}

function replace(candidate: Drifted, outlook: Outlook, decision: string): Found {
  const { bin, claim, hourlyUsd } = candidate;
  const { problem } = outlook;
  const batch = listDisplacedPods(bin, outlook);
  const isSettled = ({ name }: ExistingBin): boolean => outlook.settled.has(name);
  // Drifted nodes receive pods only if nothing else takes them: pods would have to move twice.
  const isLasting = (other: ExistingBin): boolean =>
    isSettled(other) && other.claim?.drift === undefined;
  const plan = planWithoutNode(bin, batch, outlook, [isLasting, isSettled], decision);
  const [unplaced] = plan.unplaced;
  if (unplaced) {
    const reason = unplaced.pools[0]?.reasons[0];
    const fields = {
      count: `${plan.unplaced.reduce((sum, { pods }) => sum + pods.length, 0)} of ${batch.length}`,
      first: unplaced.pods[0] ?? '',
      firstReason: reason ? reasonText(reason) : 'no room',
    };
    return { verdict: staysForNow(candidate, { code: 'pods-do-not-fit', fields }) };
  }
  const command: DisruptionCommand = {
    id: decision,
    reason: 'Drifted',
    decidedAt: problem.snapshot.takenAt,
    candidates: [claim.name],
    replacements: plan.claims,
    placements: plan.placements,
    savingHourlyUsd: hourlyUsd - plan.hourlyUsd,
  };
  return {
    command,
    verdict: { claim: claim.name, outcome: 'goes', reason: goesForDrift(candidate) },
  };
}
