import type { DisruptionCommand, DisruptionPlan, NodeVerdict } from '../model/plans.ts';
import type { Pod } from '../model/pod.ts';
import { reasonText } from '../model/reasons.ts';
import type { ExistingBin } from '../scheduling/input/existing-nodes.ts';
import { planOf } from '../scheduling/plan-of-solution.ts';
import { podsToMove } from '../scheduling/input/plan-batch.ts';
import { type Solution, solve } from '../scheduling/search/solve.ts';
import { budgetBook } from './disruption-budget.ts';
import { type Drifted, driftedNodes, goesForDrift, resting, staysForNow } from './drifted-nodes.ts';
import { type Outlook, outlookOf } from './outlook.ts';
import { rolloutGuard } from './rollout-guard.ts';
import type { Round } from './round.ts';

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
  const batch = [...podsToMove(bin, problem), ...(outlook.awaited.get(bin.name) ?? [])];
  const solution = placed(batch, bin, outlook);
  const plan = planOf(problem, batch, solution, decision);
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

/** Onto nodes that have drifted as well only where nothing else will do: pods would move twice. */
function placed(batch: readonly Pod[], bin: ExistingBin, { problem, settled }: Outlook): Solution {
  const within = (mayReceive: (other: ExistingBin) => boolean): Solution =>
    solve(problem, batch, { without: [bin.name], mayReceive });
  const isSettled = ({ name }: ExistingBin): boolean => settled.has(name);
  const once = within((other) => isSettled(other) && other.claim?.drift === undefined);
  return once.unplaced.size === 0 ? once : within(isSettled);
}
