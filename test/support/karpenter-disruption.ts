import type { DecideDisruption } from '../../shared/controllers/disruption/decide-disruption.ts';
import { restrictToCandidates } from '../../shared/controllers/disruption/decide-disruption.ts';
import { createBudgetTracker } from '../../shared/disruption/budgets.ts';
import {
  bySavingPerDisruption,
  type Candidate,
  type DisruptionInput,
  evaluateCandidate,
  isEmpty,
} from '../../shared/disruption/candidates.ts';
import { computePoolTotals, findUnfavorableScore } from '../../shared/disruption/consolidation/balanced-policy.ts';
import { consolidate } from '../../shared/disruption/consolidation/consolidate.ts';
import { createConsolidationState } from '../../shared/disruption/consolidation/consolidation-state.ts';
import { planDrift } from '../../shared/disruption/drift/plan-drift.ts';
import { isWithinConsolidateAfter } from '../../shared/disruption/obstacles.ts';
import type { DisruptionReason } from '../../shared/model/nodes/node-pool.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict } from '../../shared/model/plans.ts';
import { listOpenLaunches } from '../../shared/scheduling/open-launches.ts';
import { prepareCluster } from '../../shared/scheduling/removal/removal-state.ts';

/** As many as Karpenter evaluates together. */
const MAX_TOGETHER = 100;

/**
 * Decides by Karpenter's rules, as a policy for the simulator: one command at a time; empty nodes,
 * then drift, then the longest prefix of the nodes by saving per disruption that one new node can
 * replace, then single nodes. Moves have no price. With the policy `Balanced`, a move has to save half as large a share of
 * its pool's cost as the share of the pool's pods that it disrupts.
 *
 * @see Karpenter, pkg/controllers/disruption/balanced.go
 */
export const planLikeKarpenter: DecideDisruption = ({ snapshot: observed, running, proposal }, decision) => {
  const snapshot = proposal ? restrictToCandidates(observed, proposal.candidates) : observed;
  const problem = prepareCluster(snapshot);
  const pools = new Map(snapshot.pools.map((pool) => [pool.name, pool]));
  const busy = new Set(running.flatMap(({ candidates }) => candidates));
  const openLaunches = listOpenLaunches(problem);
  const input: DisruptionInput = { problem, snapshot, pools, running, busy, decision, openLaunches };
  const candidates = problem.existingNodes
    .flatMap((node) => {
      const evaluation = evaluateCandidate(node, input);
      return evaluation.outcome === 'candidate' ? [evaluation.candidate] : [];
    })
    .toSorted(bySavingPerDisruption);

  const empty = takeWithinBudgets(candidates.filter(isEmpty), 'Empty', input);
  if (empty.length > 0) {
    const saving = empty.reduce((sum, { hourlyUsd }) => sum + hourlyUsd, 0);
    return toPlan({ candidates: empty, reason: 'Empty', saving }, input);
  }
  const drift = planDrift(input);
  if (drift.command) return drift;
  return consolidateLikeKarpenter(
    candidates.filter((one) => !isEmpty(one) && one.pool.disruption.policy !== 'WhenEmpty'),
    input,
  );
};

function consolidateLikeKarpenter(candidates: readonly Candidate[], input: DisruptionInput): DisruptionPlan {
  const { problem, pools, busy, decision } = input;
  const state = createConsolidationState(
    problem,
    busy,
    (existingNode) => !isWithinConsolidateAfter(existingNode, pools, problem.snapshot.takenAt),
  );
  const affordable = takeWithinBudgets(candidates, 'Underutilized', input);
  const totals = computePoolTotals(input);
  const attempt = (together: readonly Candidate[]): DisruptionPlan | undefined => {
    const move = consolidate(together, state, Infinity, decision);
    if (move.outcome !== 'move') return undefined;
    const { replacements, placements, savingHourlyUsd: saving } = move;
    if (findUnfavorableScore(together, saving, totals)) return undefined;
    return toPlan({ candidates: together, reason: 'Underutilized', saving, replacements, placements }, input);
  };

  let best: DisruptionPlan | undefined;
  let low = 2;
  let high = Math.min(affordable.length, MAX_TOGETHER);
  while (low <= high) {
    const count = Math.floor((low + high) / 2);
    const plan = attempt(affordable.slice(0, count));
    if (plan) {
      best = plan;
      low = count + 1;
    } else high = count - 1;
  }
  if (best) return best;
  for (const candidate of affordable) {
    const plan = attempt([candidate]);
    if (plan) return plan;
  }
  return { verdicts: [] };
}

function takeWithinBudgets(
  candidates: readonly Candidate[],
  reason: DisruptionReason,
  { problem, busy }: DisruptionInput,
): readonly Candidate[] {
  const { existingNodes, snapshot } = problem;
  const budgets = createBudgetTracker(existingNodes, reason, busy, snapshot.takenAt);
  return candidates.filter(({ pool }) => {
    if (budgets.refusalFor(pool)) return false;
    budgets.take(pool);
    return true;
  });
}

interface Move extends Partial<Pick<DisruptionCommand, 'replacements' | 'placements'>> {
  readonly candidates: readonly Candidate[];
  readonly reason: DisruptionReason;
  readonly saving: number;
}

function toPlan(
  { candidates, reason, saving, replacements = [], placements = [] }: Move,
  { decision, problem }: DisruptionInput,
): DisruptionPlan {
  const names = candidates.map(({ claim }) => claim.name);
  const command: DisruptionCommand = {
    id: decision,
    reason,
    decidedAt: problem.snapshot.takenAt,
    candidates: names,
    replacements,
    placements,
    savingHourlyUsd: saving,
  };
  const verdicts = names.map(
    (claim): NodeVerdict => ({
      claim,
      outcome: 'goes',
      reason: { code: 'empty', fields: { claim, since: '' } },
    }),
  );
  return { command, verdicts };
}
