import { formatShortDuration } from '../../model/duration.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { MovePrice } from '../../model/plans.ts';
import { listMatchingBudgets } from '../../model/pods/disruption-pods.ts';
import { type Pod, toOwnerUid } from '../../model/pods/pod.ts';
import type { OwnerRestart } from '../../model/pods/workload.ts';
import {
  DEFAULT_CONSOLIDATION_PAYBACK_MS,
  type DecisionSettings,
  UNRECORDED_EVICTION_COST_USD,
} from '../../model/settings.ts';
import { type EpochMs, formatInstant, HOUR_MS, MINUTE_MS } from '../../model/time.ts';
import type { ExistingNode } from '../../scheduling/input/existing-nodes.ts';
import { memoizePerSnapshot, type Problem } from '../../scheduling/input/problem.ts';
import type { Candidate } from '../candidates.ts';
import { computeEvictionCost, listMovingPods } from '../disruption-cost.ts';
import { readOwnDeletionCost } from '../surplus/pod-deletion-costs.ts';
import { computeTimeUntilRelaunch, findGrowthEnd } from './time-until-relaunch.ts';

/**
 * The price of moves. A consolidation costs evictions, and the time in which old and new nodes run
 * side by side. It happens if its saving pays that back soon enough:
 *
 *     cost     = evictions × EVICTION_COST_USD × weight of the pod, + 3 min of the replacements
 *     payback  = cost ÷ saving per hour  ≤  CONSOLIDATION_PAYBACK, ≤ the node's remaining life,
 *                and ≤ the time in which its growing pool launches as much again
 *
 * Small savings, and replacements that are hardly cheaper, are not worth a move at any price of
 * evictions: prices and demand change by as much every hour.
 */
interface MoveRules {
  readonly paybackMs: number;
  readonly evictionUsd: number;
  /** In namespaces whose pods are ranked for scale-downs: those pods end by themselves sooner. */
  readonly rankedEvictionUsd: number;
}

/** Old and new nodes run side by side: launch, registration, drain. */
const OVERLAP_MS = 3 * MINUTE_MS;
/** A pod that has just started costs twice as much to move, falling to once over this time. */
const STEADY_AFTER_MS = 30 * MINUTE_MS;
/** A pod that takes this long to start costs twice as much to move; at most three times. */
const SLOW_START_MS = 5 * MINUTE_MS;
const MAX_SLOW_START = 2;

/** Savings below are noise: the fixed cost of one node. */
const MIN_SAVING_USD = 0.01;
/** Hysteresis: a replacement has to be cheaper by this share of the nodes that it replaces. */
const MIN_REPLACEMENT_SHARE = 0.1;

/** `undefined` if moves have no price. */
export function readMoveRules(
  settings: Partial<
    Pick<DecisionSettings, 'consolidationPaybackMs' | 'evictionCostUsd' | 'rankedEvictionCostUsd'>
  > = {},
): MoveRules | undefined {
  const {
    consolidationPaybackMs: paybackMs = DEFAULT_CONSOLIDATION_PAYBACK_MS,
    evictionCostUsd: evictionUsd = UNRECORDED_EVICTION_COST_USD,
    rankedEvictionCostUsd: rankedEvictionUsd = evictionUsd,
  } = settings;
  return paybackMs === 'Any' ? undefined : { paybackMs, evictionUsd, rankedEvictionUsd };
}

/** A possible consolidation. */
export interface ProposedMove {
  readonly candidates: readonly Candidate[];
  readonly replacements: readonly { readonly cheapest: { readonly hourlyUsd: number } }[];
  readonly savingHourlyUsd: number;
}

const UNPRICED = {
  evictionUsd: UNRECORDED_EVICTION_COST_USD,
  rankedEvictionUsd: UNRECORDED_EVICTION_COST_USD,
};

/** The namespaces with pods that have a deletion cost of ours: there the right to patch pods was given. */
const listRankedNamespaces: (problem: Problem) => ReadonlySet<string> = memoizePerSnapshot(
  ({ snapshot }) => new Set(snapshot.pods.flatMap((pod) => (readOwnDeletionCost(pod) === 0 ? [] : [pod.namespace]))),
);

/** Computes what a move costs at this time, and how long its saving takes to pay for it. */
export function computeMovePrice(
  { candidates, replacements, savingHourlyUsd }: ProposedMove,
  problem: Problem,
  at: EpochMs = problem.snapshot.takenAt,
): MovePrice {
  const { snapshot } = problem;
  const { evictionUsd, rankedEvictionUsd } = readMoveRules(snapshot.settings) ?? UNPRICED;
  const ranked = listRankedNamespaces(problem);
  const pods = candidates.flatMap(({ existingNode }) => listMovingPods(existingNode));
  const budgetShare = createBudgetShares(pods, snapshot.podDisruptionBudgets);
  const restarted = countRestartedElsewhere(pods, snapshot.restarts);
  const weights = candidates.flatMap(({ existingNode }) =>
    at === snapshot.takenAt ? listPodWeights(existingNode, problem) : weighPods(existingNode, at),
  );
  const evictionsUsd = pods.reduce((sum, pod, index) => {
    const weight = (weights[index] ?? 0) * (1 + budgetShare(pod));
    return sum + weight * (ranked.has(pod.namespace) ? rankedEvictionUsd : evictionUsd);
  }, restarted * evictionUsd);
  const launched = replacements.reduce((sum, { cheapest }) => sum + cheapest.hourlyUsd, 0);
  const costUsd = evictionsUsd + (launched * OVERLAP_MS) / HOUR_MS;
  const paybackMs = savingHourlyUsd > 0 ? (costUsd / savingHourlyUsd) * HOUR_MS : Infinity;
  return { evictions: pods.length + restarted, costUsd, paybackMs: Math.round(paybackMs) };
}

/** Counts the pods on other nodes that the restart of a Deployment replaces as well. */
function countRestartedElsewhere(pods: readonly Pod[], restarts: readonly OwnerRestart[] = []): number {
  return restarts.reduce((sum, { owner, replicas }) => {
    const leaving = pods.filter((pod) => toOwnerUid(pod) === owner).length;
    return leaving === 0 ? sum : sum + Math.max(0, replicas - leaving);
  }, 0);
}

const podWeights = memoizePerSnapshot(() => new WeakMap<ExistingNode, readonly number[]>());

/** The weights of the moving pods of a node. Many sets of nodes are priced that have a node in common. */
const listPodWeights = (node: ExistingNode, problem: Problem): readonly number[] =>
  getOrCreate(podWeights(problem), node, () => weighPods(node, problem.snapshot.takenAt));

const weighPods = (node: ExistingNode, at: EpochMs): readonly number[] =>
  listMovingPods(node).map((pod) => computePodWeight(pod, at));

function computePodWeight(pod: Pod, now: EpochMs): number {
  const { createdAt, startedAt = createdAt, runningAt = startedAt } = pod;
  const slowStart = Math.min(MAX_SLOW_START, Math.max(0, runningAt - startedAt) / SLOW_START_MS);
  const youth = Math.max(0, 1 - Math.max(0, now - startedAt) / STEADY_AFTER_MS);
  return Math.max(0, computeEvictionCost(pod)) * (1 + slowStart + youth);
}

/** The share of its PodDisruptionBudget's room that the move uses up: 0 to 1. */
function createBudgetShares(
  pods: readonly Pod[],
  budgets: Problem['snapshot']['podDisruptionBudgets'],
): (pod: Pod) => number {
  if (budgets.length === 0) return () => 0;
  const counts = new Map<unknown, number>();
  const budgetOf = (pod: Pod) => listMatchingBudgets(pod, budgets)[0];
  for (const pod of pods) {
    const budget = budgetOf(pod);
    if (budget) counts.set(budget, getOrCreate(counts, budget, () => 0) + 1);
  }
  return (pod) => {
    const budget = budgetOf(pod);
    if (!budget) return 0;
    return Math.min(1, (counts.get(budget) ?? 0) / Math.max(1, budget.disruptionsAllowed));
  };
}

/** Prices are sums; the exact check comes once the move is planned. */
const ROUNDING_USD = 1e-9;

/**
 * Computes the highest price of a replacement with which a move pays back; negative if not even a
 * removal without a replacement does. Most removals are rejected by it before their pods are placed:
 *
 *     evictions + overlap × replacement  ≤  payback × (current price − replacement)
 */
export function computeMaxReplacementUsd(candidates: readonly Candidate[], problem: Problem): number {
  const rules = readMoveRules(problem.snapshot.settings);
  if (!rules) return Infinity;
  const currentUsd = sumPrices(candidates);
  const removal = { candidates, replacements: [], savingHourlyUsd: currentUsd };
  const price = computeMovePrice(removal, problem);
  if (findPriceObstacle(removal, price, problem)) return -1;
  const mostUsd = currentUsd - computeMinSaving(currentUsd, true);
  const limitMs = computePaybackLimit(candidates, rules, problem);
  if (limitMs === Infinity) return mostUsd + ROUNDING_USD;
  const budgetUsd = (limitMs / HOUR_MS) * currentUsd - price.costUsd;
  return Math.min(mostUsd, (budgetUsd * HOUR_MS) / (limitMs + OVERLAP_MS)) + ROUNDING_USD;
}

/** Explains why a move does not pay back whose replacement costs at least this much. */
export function explainMaxReplacement(
  candidates: readonly Candidate[],
  replacementUsd: number,
  problem: Problem,
): { readonly reason: Reason; readonly move: ProposedMove } {
  const savingHourlyUsd = sumPrices(candidates) - replacementUsd;
  const replacements = replacementUsd > 0 ? [{ cheapest: { hourlyUsd: replacementUsd } }] : [];
  const move = { candidates, replacements, savingHourlyUsd };
  const reason = findPriceObstacle(move, computeMovePrice(move, problem), problem) ?? {
    code: 'saves-too-little',
    fields: formatSaving(savingHourlyUsd, computeMinSaving(sumPrices(candidates), true)),
  };
  return { reason, move };
}

const sumPrices = (candidates: readonly Candidate[]): number =>
  candidates.reduce((sum, { hourlyUsd }) => sum + hourlyUsd, 0);

const computeMinSaving = (currentUsd: number, isReplaced: boolean): number =>
  Math.max(MIN_SAVING_USD, isReplaced ? currentUsd * MIN_REPLACEMENT_SHARE : 0);

const computePaybackLimit = (candidates: readonly Candidate[], { paybackMs }: MoveRules, problem: Problem): number =>
  Math.min(
    paybackMs,
    computeRemainingLife(candidates, problem.snapshot.takenAt),
    computeTimeUntilRelaunch(candidates, problem),
  );

/**
 * Adds the time from which a move that does not pay back yet does so, to the minute, if nothing changes: its pods have
 * run for a while by then, or its pools have stopped growing. Without such a time the reason is returned as it is.
 */
export function withPaybackTime(reason: Reason, move: ProposedMove, problem: Problem): Reason {
  if (reason.code !== 'not-paid-back') return reason;
  const at = findPaybackTime(move, problem);
  return at === undefined ? reason : { ...reason, fields: { ...reason.fields, until: formatInstant(at) } };
}

function findPaybackTime(move: ProposedMove, problem: Problem): EpochMs | undefined {
  const { candidates } = move;
  const rules = readMoveRules(problem.snapshot.settings);
  if (!rules) return undefined;
  const { takenAt: now } = problem.snapshot;
  const relaunchMs = computeTimeUntilRelaunch(candidates, problem);
  const growthEndsAt = findGrowthEnd(candidates, problem);
  const paysBackAt = (at: EpochMs): boolean =>
    computeMovePrice(move, problem, at).paybackMs <=
    Math.min(rules.paybackMs, computeRemainingLife(candidates, at), at < growthEndsAt ? relaunchMs : Infinity);
  const starts = candidates.flatMap(({ existingNode }) =>
    listMovingPods(existingNode).map(({ createdAt, startedAt = createdAt }) => startedAt + STEADY_AFTER_MS),
  );
  const changes = [growthEndsAt, Math.max(...starts)]
    .filter((at) => at > now && at < Infinity)
    .toSorted((a, b) => a - b);
  let low = now;
  for (const change of changes) {
    // Growth ends at once: the moment before it is another case.
    const before = change === growthEndsAt ? change - 1 : change;
    if (paysBackAt(before)) return bisect(low, before, paysBackAt);
    if (paysBackAt(change)) return change;
    low = change;
  }
  return undefined;
}

/** The first time, to the minute, at which the condition holds: not at `low`, but at `high`, and from then on. */
function bisect(low: EpochMs, high: EpochMs, holds: (at: EpochMs) => boolean): EpochMs {
  if (high - low <= MINUTE_MS) return high;
  const middle = Math.floor((low + high) / 2);
  return holds(middle) ? bisect(low, middle, holds) : bisect(middle, high, holds);
}

const formatSaving = (savingUsd: number, wantedUsd: number) => ({
  savingUsd: savingUsd.toFixed(4),
  wantedUsd: wantedUsd.toFixed(4),
});

/** Returns why a move is not worth its price; `undefined` if it is. */
export function findPriceObstacle(
  move: ProposedMove,
  { paybackMs, evictions }: MovePrice,
  problem: Problem,
): Reason | undefined {
  const rules = readMoveRules(problem.snapshot.settings);
  if (!rules) return undefined;
  const { candidates, replacements, savingHourlyUsd } = move;
  const wantedUsd = computeMinSaving(sumPrices(candidates), replacements.length > 0);
  if (savingHourlyUsd < wantedUsd) {
    return { code: 'saves-too-little', fields: formatSaving(savingHourlyUsd, wantedUsd) };
  }
  const limitMs = computePaybackLimit(candidates, rules, problem);
  if (paybackMs <= limitMs) return undefined;
  const fields = {
    evictions: `${evictions}`,
    savingUsd: savingHourlyUsd.toFixed(4),
    payback: formatShortDuration(paybackMs),
    limit: formatShortDuration(limitMs),
  };
  return { code: 'not-paid-back', fields };
}

/** A node that expires soon does not save long. */
function computeRemainingLife(candidates: readonly Candidate[], now: EpochMs): number {
  const lives = candidates.map(({ claim: { createdAt, expireAfterMs } }) =>
    expireAfterMs === undefined ? Infinity : Math.max(0, createdAt + expireAfterMs - now),
  );
  return Math.min(Infinity, ...lives);
}
