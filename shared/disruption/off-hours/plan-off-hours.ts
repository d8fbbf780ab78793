import type { Reason } from '../../model/explanations/reasons.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict } from '../../model/plans.ts';
import { formatInstant } from '../../model/time.ts';
import { planWithoutNode } from '../../scheduling/removal/plan-without-node.ts';
import { listDisplacedPods } from '../../scheduling/removal/removal-state.ts';
import { createBudgetTracker } from '../budgets.ts';
import { type DisruptionInput, listLeavingClaims, toStaysVerdict } from '../candidates.ts';
import { AFTER_COMMANDS, createCommandId, MAX_COMMANDS, toPlan } from '../commands-of-decision.ts';
import { type ConsolidationState, createConsolidationState } from '../consolidation/consolidation-state.ts';
import { findNomination } from '../obstacles.ts';
import type { OffHoursNode } from './off-hours-nodes.ts';

/**
 * Plans the removal of nodes that pools have in excess in their off hours, as many as the budgets for
 * `Underutilized` allow. Their pods move to other nodes, and to new nodes of other pools, which start
 * first. Pods that fit nowhere else do not keep a node: they wait until hours begin.
 */
export function planOffHours(nodes: readonly OffHoursNode[], input: DisruptionInput): DisruptionPlan {
  if (nodes.length === 0) return { verdicts: [] };
  const { problem, busy, decision } = input;
  const { takenAt } = problem.snapshot;
  const budgets = createBudgetTracker(problem.existingNodes, 'Underutilized', busy, takenAt);
  let state = createConsolidationState(problem, listLeavingClaims(input));
  const verdicts: NodeVerdict[] = [];
  const commands: DisruptionCommand[] = [];
  for (const node of nodes) {
    const nomination = findNomination(node.existingNode, node.claim, problem);
    if (nomination) {
      verdicts.push({ claim: node.claim.name, outcome: 'stays', ...nomination });
      continue;
    }
    const refusal = budgets.refusalFor(node.pool) ?? (commands.length === MAX_COMMANDS ? AFTER_COMMANDS : undefined);
    if (refusal) {
      verdicts.push(toStaysVerdict(node, refusal));
      continue;
    }
    budgets.take(node.pool);
    const id = createCommandId(decision, commands.length);
    const { command, waiting } = planRemoval(node, state, id);
    commands.push(command);
    verdicts.push({ claim: node.claim.name, outcome: 'goes', reason: toReason(node, waiting) });
    state = state.after([node.existingNode.name], command.placements);
  }
  return toPlan(commands, verdicts);
}

function planRemoval(
  { existingNode, claim, pool, hourlyUsd }: OffHoursNode,
  state: ConsolidationState,
  id: string,
): { readonly command: DisruptionCommand; readonly waiting: number } {
  const isStaying = ({ name }: { readonly name: string }): boolean => state.stayingNodes.has(name);
  const displaced = listDisplacedPods(existingNode, state);
  const plan = planWithoutNode(existingNode, displaced, state, [isStaying], { decision: id });
  const command: DisruptionCommand = {
    id,
    reason: 'Underutilized',
    decidedAt: state.problem.snapshot.takenAt,
    candidates: [claim.name],
    replacements: plan.claims,
    placements: plan.placements,
    savingHourlyUsd: hourlyUsd - plan.hourlyUsd,
    offHoursOf: pool.name,
  };
  return { command, waiting: plan.unplaced.reduce((sum, { pods }) => sum + pods.length, 0) };
}

const toReason = ({ pool, off }: OffHoursNode, waiting: number): Reason => ({
  code: 'removed-in-off-hours',
  fields: {
    pool: pool.name,
    until: formatInstant(off.until),
    nodes: `${off.nodes}`,
    ...(waiting > 0 && { waiting: `${waiting}` }),
  },
});
