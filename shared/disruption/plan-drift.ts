import type { Drift } from '../model/drift.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict } from '../model/plans.ts';
import type { Pod } from '../model/pod.ts';
import { type Reason, reasonText } from '../model/reasons.ts';
import { formatInstant } from '../model/time.ts';
import { podsToMove } from '../scheduling/batch.ts';
import type { ExistingBin } from '../scheduling/existing-bins.ts';
import { planOf } from '../scheduling/plan-provisioning.ts';
import { type Solution, solve } from '../scheduling/solve.ts';
import { type Candidate, candidateOf, heldAgainstDrift, nominated } from './candidates.ts';
import { budgetBook } from './disruption-budget.ts';
import { type Outlook, outlookOf } from './outlook.ts';
import { rolloutHold } from './rollout-guard.ts';
import type { Round } from './round.ts';

type Drifted = Candidate & { readonly drift: Drift };

/**
 * The next drifted node to replace: one without pods first, then the one that drifted first. Its
 * pods may be moved to nodes that stay and to as many new ones as they need, at any price.
 *
 * @see Karpenter, drift
 */
export function planDrift(round: Round): DisruptionPlan {
  const { problem, busy, decision } = round;
  const verdicts: NodeVerdict[] = [];
  const drifted = driftedNodes(round, verdicts);
  const budgets = budgetBook(problem.bins, 'Drifted', busy, problem.snapshot.takenAt);
  let outlook: Outlook | undefined;
  for (const candidate of drifted) {
    const hold = budgets.refusal(candidate.pool) ?? resting(candidate, round);
    const held = hold ?? rolloutHold(candidate.claim, round);
    if (held) {
      verdicts.push(stays(candidate, held));
      continue;
    }
    outlook ??= outlookOf(problem, round.pools, busy);
    const found = replace(candidate, outlook, decision);
    verdicts.push(found.verdict);
    if (found.command) return { command: found.command, verdicts };
  }
  return { verdicts };
}

/** In the order of their turns; why one has none is said. */
function driftedNodes(round: Round, verdicts: NodeVerdict[]): readonly Drifted[] {
  const { problem } = round;
  const found = problem.bins.flatMap((bin): Drifted[] => {
    const candidate = candidateOf(bin, round);
    const drift = bin.claim?.drift;
    if (!candidate || !drift || candidate.pool.replicas !== undefined) return [];
    const obstacle =
      nominated(bin, candidate.claim, problem) ?? heldAgainstDrift(bin, candidate.claim, problem);
    if (!obstacle) return [{ ...candidate, drift }];
    verdicts.push({ claim: candidate.claim.name, outcome: 'stays', ...obstacle });
    return [];
  });
  return found.toSorted(emptyThenOldest);
}

const emptyThenOldest = (a: Drifted, b: Drifted): number =>
  Number(a.disruptionCost > 1) - Number(b.disruptionCost > 1) ||
  a.drift.since - b.drift.since ||
  (a.claim.name < b.claim.name ? -1 : 1);

/** After a replacement that did not come up, the pool is left alone for a while. */
function resting({ pool }: Candidate, { problem: { snapshot } }: Round): Reason | undefined {
  const until = snapshot.driftRests?.[pool.name] ?? 0;
  if (until <= snapshot.takenAt) return undefined;
  return { code: 'drift-rests', fields: { pool: pool.name, at: formatInstant(until) } };
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
    return { verdict: stays(candidate, { code: 'pods-do-not-fit', fields }) };
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
  return { command, verdict: { claim: claim.name, outcome: 'goes', reason: goes(candidate) } };
}

/** Onto nodes that have drifted as well only where nothing else will do: pods would move twice. */
function placed(batch: readonly Pod[], bin: ExistingBin, { problem, settled }: Outlook): Solution {
  const within = (mayReceive: (other: ExistingBin) => boolean): Solution =>
    solve(problem, batch, { without: [bin.name], mayReceive });
  const isSettled = ({ name }: ExistingBin): boolean => settled.has(name);
  const once = within((other) => isSettled(other) && other.claim?.drift === undefined);
  return once.unplaced.size === 0 ? once : within(isSettled);
}

const goes = ({ claim, drift: { reason: drift, text } }: Drifted): Reason => ({
  code: 'drifted',
  fields: { claim: claim.name, drift, text },
});

const stays = ({ claim }: { readonly claim: NodeClaim }, reason: Reason): NodeVerdict => ({
  claim: claim.name,
  outcome: 'stays',
  reason,
});
