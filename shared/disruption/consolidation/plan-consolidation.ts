import { formatShortDuration } from '../../model/duration.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict } from '../../model/plans.ts';
import { listMatchingBudgets } from '../../model/pods/disruption-pods.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import type { Problem } from '../../scheduling/input/problem.ts';
import { type BudgetTracker, createBudgetTracker } from '../budgets.ts';
import { type Candidate, type DisruptionInput, listLeavingClaims, toStaysVerdict } from '../candidates.ts';
import { AFTER_COMMANDS, createCommandId, MAX_COMMANDS, toPlan } from '../commands-of-decision.ts';
import { listMovingPods } from '../disruption-cost.ts';
import { findDebtObstacle, rememberMove, withoutReturn } from '../moves/launched-to-save.ts';
import {
  computeMaxReplacementUsd,
  computeMovePrice,
  explainMaxReplacement,
  findPriceObstacle,
  type ProposedMove,
  withPaybackTime,
} from '../moves/price-of-moves.ts';
import { computePoolTotals, findUnfavorableScore, type TotalsByPool } from './balanced-policy.ts';
import { type ConsolidationMove, consolidate } from './consolidate.ts';
import { type ConsolidationState, createConsolidationState } from './consolidation-state.ts';
import { consolidateTogether, type MultiNodeMove } from './multi-node.ts';
import { longestWaitingFirst, spreadConsolidation } from './spread-consolidation.ts';

/**
 * Plans consolidations until none is left that budgets, pods and the price of moves allow. Each
 * command is evaluated against the cluster as the earlier ones leave it, and touches other nodes, so
 * they may run at the same time. Several nodes together come first if that saves more than any node
 * alone.
 */
export function planConsolidation(all: readonly Candidate[], input: DisruptionInput): DisruptionPlan {
  if (all.length === 0) return { verdicts: [] };
  const { problem, busy } = input;
  const verdicts: NodeVerdict[] = [];
  const { existingNodes, snapshot } = problem;
  const { takenAt } = snapshot;
  const findPace = spreadConsolidation(input);
  const budgets = createBudgetTracker(existingNodes, 'Underutilized', busy, takenAt, findPace);
  const candidates = longestWaitingFirst(all, budgets).filter((candidate) => {
    const reason =
      findWhenEmptyReason(candidate) ?? findDebtObstacle(candidate, problem) ?? findPaidReason(candidate, problem);
    if (reason) verdicts.push(toStaysVerdict(candidate, reason));
    return !reason;
  });
  const search: Search = {
    input,
    budgets,
    totals: computePoolTotals(input),
    state: createConsolidationState(problem, listLeavingClaims(input)),
    commands: [],
    touched: new Set(),
    movedByBudget: new Map(),
  };
  planTogether(candidates, search);
  verdicts.push(...planSingly(candidates, search));
  const goes = search.commands.flatMap(({ command, reason }) =>
    command.candidates.map((claim): NodeVerdict => ({ claim, outcome: 'goes', reason })),
  );
  const decided = new Set([...verdicts, ...goes].map(({ claim }) => claim));
  const later = candidates.filter(({ claim }) => !decided.has(claim.name));
  return toPlan(
    search.commands.map(({ command }) => command),
    [...verdicts, ...goes, ...later.map((candidate) => toStaysVerdict(candidate, AFTER_COMMANDS))],
  );
}

/** The commands that are planned so far, and what they leave for others. */
interface Search {
  readonly input: DisruptionInput;
  readonly budgets: BudgetTracker;
  readonly totals: TotalsByPool;
  state: ConsolidationState;
  readonly commands: { readonly command: DisruptionCommand; readonly reason: Reason }[];
  /** Nodes that commands remove or move pods to. */
  readonly touched: Set<string>;
  /** Pods that the commands move, by PodDisruptionBudget. */
  readonly movedByBudget: Map<unknown, number>;
}

/** A move that happens, or why not; with the move if it is possible but too expensive. */
type PricedConsolidation =
  | ConsolidationMove
  | { readonly outcome: 'stays'; readonly reason: Reason; readonly move?: ProposedMove };

/** Evaluates a move with its price. */
function evaluateMove(together: readonly Candidate[], search: Search): PricedConsolidation {
  const { state, totals, input, commands } = search;
  const { problem } = input;
  const maxUsd = computeMaxReplacementUsd(together, problem);
  const id = createCommandId(input.decision, commands.length);
  const consolidation = consolidate(together, state, maxUsd, id);
  if (consolidation.outcome === 'unpaid') {
    return { outcome: 'stays', ...explainMaxReplacement(together, consolidation.replacementUsd, problem) };
  }
  if (consolidation.outcome === 'stays') return consolidation;
  const { minSavingHourlyUsd: savingHourlyUsd } = consolidation;
  const unfavorable = findUnfavorableScore(together, savingHourlyUsd, totals);
  if (unfavorable) return { outcome: 'stays', reason: unfavorable };
  const allowed = withoutReturn(together, consolidation.replacements);
  if ('returnsTo' in allowed) {
    return {
      outcome: 'stays',
      reason: { code: 'would-return', fields: { type: allowed.returnsTo } },
    };
  }
  const { replacements } = allowed;
  const proposed = { candidates: together, replacements, savingHourlyUsd };
  const price = computeMovePrice(proposed, problem);
  const reason = findPriceObstacle(proposed, price, problem);
  return reason ? { outcome: 'stays', reason, move: proposed } : { ...consolidation, replacements };
}

/** Plans moves of several nodes, as long as there are any. */
function planTogether(candidates: readonly Candidate[], search: Search): void {
  while (search.commands.length < MAX_COMMANDS) {
    const affordable = listAffordable(candidates, search);
    const together = consolidateTogether(affordable, (several) => evaluateMove(several, search));
    if (!together) return;
    const best = findBetterSingleMove(affordable, together, search) ?? together;
    addCommand(best.candidates, best.move, search);
  }
}

/**
 * Finds the node whose move alone saves most, if that is more than several nodes save together. A move
 * saves at most what its node costs, so that few nodes must be evaluated.
 */
function findBetterSingleMove(
  candidates: readonly Candidate[],
  together: MultiNodeMove,
  search: Search,
): MultiNodeMove | undefined {
  let best: MultiNodeMove | undefined;
  for (const candidate of candidates.toSorted((a, b) => b.hourlyUsd - a.hourlyUsd)) {
    const { minSavingHourlyUsd } = (best ?? together).move;
    if (candidate.hourlyUsd <= minSavingHourlyUsd) break;
    const move = evaluateMove([candidate], search);
    if (move.outcome === 'move' && move.minSavingHourlyUsd > minSavingHourlyUsd)
      best = { candidates: [candidate], move };
  }
  return best;
}

/** Plans moves of single nodes. Every candidate that no command touches gets a verdict. */
function planSingly(candidates: readonly Candidate[], search: Search): NodeVerdict[] {
  const verdicts: NodeVerdict[] = [];
  for (const candidate of candidates) {
    if (search.touched.has(candidate.existingNode.name)) continue;
    if (search.commands.length >= MAX_COMMANDS || !isIndependent(candidate, search)) continue;
    const refusal =
      search.budgets.refusalFor(candidate.pool) ??
      findUnfavorableScore([candidate], candidate.hourlyUsd, search.totals);
    if (refusal) {
      verdicts.push(toStaysVerdict(candidate, refusal));
      continue;
    }
    const evaluated = evaluateMove([candidate], search);
    if (evaluated.outcome === 'move') addCommand([candidate], evaluated, search);
    else verdicts.push(toStaysVerdict(candidate, tellPaybackTime(evaluated, search)));
  }
  return verdicts;
}

const tellPaybackTime = (
  { reason, move }: Extract<PricedConsolidation, { outcome: 'stays' }>,
  { input }: Search,
): Reason => (move ? withPaybackTime(reason, move, input.problem) : reason);

/** Lists as many candidates as may be disrupted at the same time. */
function listAffordable(candidates: readonly Candidate[], search: Search): readonly Candidate[] {
  const budgets = search.budgets.copy();
  return candidates.filter((candidate) => {
    if (search.touched.has(candidate.existingNode.name)) return false;
    if (budgets.refusalFor(candidate.pool) || !isIndependent(candidate, search)) return false;
    budgets.take(candidate.pool);
    return true;
  });
}

/**
 * True if the node may be moved besides the commands that are planned already. The first command is
 * not limited: a drain waits for PodDisruptionBudgets.
 */
const isIndependent = (candidate: Candidate, search: Search): boolean =>
  search.commands.length === 0 || (hasBudgetRoom(candidate, search) && hasKnownDomains(candidate, search));

/** PodDisruptionBudgets have room for its pods besides those of the planned commands. */
function hasBudgetRoom(candidate: Candidate, { movedByBudget, input }: Search): boolean {
  if (movedByBudget.size === 0) return true;
  const { podDisruptionBudgets } = input.problem.snapshot;
  const counts = new Map(movedByBudget);
  return listMovingPods(candidate.existingNode).every((pod) => {
    const [budget] = listMatchingBudgets(pod, podDisruptionBudgets);
    if (!budget) return true;
    const count = (counts.get(budget) ?? 0) + 1;
    counts.set(budget, count);
    return !movedByBudget.has(budget) || count <= budget.disruptionsAllowed;
  });
}

/**
 * The zone of a planned node is chosen at its launch. Until then spread and affinity of other pods
 * cannot be checked.
 */
const hasKnownDomains = (candidate: Candidate, { commands }: Search): boolean =>
  commands.every(({ command }) => command.replacements.length === 0) ||
  !listMovingPods(candidate.existingNode).some(({ spec }) => hasTopologyRules(spec));

const hasTopologyRules = ({ topologySpread, podAffinity, podAntiAffinity }: PodSpec): boolean =>
  topologySpread.length + podAffinity.length + podAntiAffinity.length > 0;

function addCommand(
  candidates: readonly Candidate[],
  { replacements, placements, savingHourlyUsd, minSavingHourlyUsd, reason }: ConsolidationMove,
  search: Search,
): void {
  const { input, commands, budgets, touched, movedByBudget } = search;
  const { problem } = input;
  const { podDisruptionBudgets, takenAt } = problem.snapshot;
  const proposed = { candidates, replacements, savingHourlyUsd: minSavingHourlyUsd };
  const price = computeMovePrice(proposed, problem);
  const command: DisruptionCommand = {
    id: createCommandId(input.decision, commands.length),
    reason: 'Underutilized',
    decidedAt: takenAt,
    candidates: candidates.map(({ claim }) => claim.name),
    replacements: rememberMove(candidates, replacements, price, takenAt),
    placements,
    savingHourlyUsd,
    price,
  };
  commands.push({ command, reason: withPayback(reason, price.paybackMs) });
  for (const { pool } of candidates) budgets.take(pool);
  for (const { existingNode } of candidates) touched.add(existingNode.name);
  for (const { target } of placements) touched.add(target);
  for (const pod of candidates.flatMap(({ existingNode }) => listMovingPods(existingNode))) {
    const [budget] = listMatchingBudgets(pod, podDisruptionBudgets);
    if (budget) movedByBudget.set(budget, (movedByBudget.get(budget) ?? 0) + 1);
  }
  search.state = search.state.after(
    candidates.map(({ existingNode }) => existingNode.name),
    placements,
  );
}

const withPayback = ({ code, fields }: Reason, paybackMs: number): Reason => ({
  code,
  fields: { ...fields, payback: formatShortDuration(paybackMs) },
});

function findWhenEmptyReason({ pool }: Candidate): Reason | undefined {
  const { policy, consolidateAfterMs } = pool.disruption;
  if (policy !== 'WhenEmpty') return undefined;
  const fields = { pool: pool.name, policy, value: `${Number(consolidateAfterMs) / 1000}s` };
  return { code: 'consolidation-disabled', fields };
}

/** A node that a commitment pays for costs nothing, so its removal saves nothing. */
function findPaidReason({ claim }: Candidate, { coverage }: Problem): Reason | undefined {
  const commitment = coverage?.coveredBy.get(claim.name);
  return commitment === undefined ? undefined : { code: 'paid-by-commitment', fields: { commitment } };
}
