import { memoize } from '../../model/memo.ts';
import { type NodeCosts, scaleNodeCosts } from '../input/node-costs.ts';
import type { PackedBatch } from '../karpenter-price/adopt-karpenter-plan.ts';
import { canSimulateKarpenter, type KarpenterRun } from '../karpenter-price/simulate-karpenter.ts';
import { withPackingState } from '../packing/packing.ts';
import { countPods, type PodClass } from '../pods/pod-classes.ts';
import { bindsCompletely, type EvaluatedPacking, evaluatePacking } from './evaluation/evaluate-packing.ts';
import { createSimulationContext, type SimulationContext } from './evaluation/simulation-context.ts';
import { computeMaxUnplacedPods, computePriceCeilingUsd, isAffordable } from './price-ceiling.ts';
import { listTargetedMoves } from './repair-moves/targeted-moves.ts';
import { leaveDisplacedPods } from './search/leave-displaced-pods.ts';
import { localSearch, trimToPrice } from './search/local-search.ts';
import { countNodes, reduceNodes } from './search/reduce-nodes.ts';
import { buildSearchStarts, type SearchStart } from './search/search-starts.ts';
import { annealWithSeveralSeeds, findUnimprovableStart } from './search/simulated-annealing.ts';
import { topUpPlan } from './top-up-plan.ts';

/** Maximum of pods times nodes. Above it there is no search: room is added until the pods bind (`topUpPlan`). */
const MAX_SIMULATION_STEPS = 60_000;

/** Number of packings on which local search starts, the most promising first. */
const MAX_LOCAL_SEARCHES = 6;

/** Share of the work budget for local search. Simulated annealing gets the rest. */
const LOCAL_SEARCH_SHARE = 0.5;

/**
 * Repairs compare packings as if nodes cost three times of what they do. Large nodes leave
 * kube-scheduler fewer ways to displace pods, and the price ceiling limits what they cost.
 */
const NODE_COST_FACTOR = 3;

/**
 * Finds a packing whose pods all find a node in every simulated binding order, within the price
 * ceiling. Packings are built in several ways and simulated; where pods are displaced, local search
 * and simulated annealing add or rearrange capacity. The cost of displaced pods is weighed against
 * the price.
 *
 * @param karpenterRuns - simulated runs of Karpenter for the price ceiling; empty if it cannot be
 *   simulated
 * @param convertKarpenterPlan - Karpenter's cheapest plan, if it follows our rules: it often binds where
 *   a cheaper packing has to be repaired
 * @returns for a large batch, the packing with added room (`topUpPlan`)
 */
export function repairPlan(
  batch: PackedBatch,
  classes: readonly PodClass[],
  karpenterRuns: readonly KarpenterRun[],
  convertKarpenterPlan: () => PackedBatch | undefined = () => undefined,
): PackedBatch {
  const { nodeCosts } = batch.assigned.problem;
  const assumedCosts = scaleNodeCosts(nodeCosts, NODE_COST_FACTOR);
  if (!shouldSimulate(batch, classes)) {
    if (!shouldTopUp(batch, classes)) return batch;
    return repriceNodes(topUpPlan(repriceNodes(batch, assumedCosts), classes, karpenterRuns), nodeCosts);
  }
  const repaired = findBindingPlan(repriceNodes(batch, assumedCosts), classes, karpenterRuns, () => {
    const karpenter = convertKarpenterPlan();
    return karpenter && repriceNodes(karpenter, assumedCosts);
  });
  return repriceNodes(repaired, nodeCosts);
}

function repriceNodes({ assigned, packing }: PackedBatch, nodeCosts: NodeCosts): PackedBatch {
  const { packingState } = packing;
  const problem = { ...packingState.problem, nodeCosts };
  return {
    assigned: { ...assigned, problem: { ...assigned.problem, nodeCosts } },
    packing: withPackingState(packing, { ...packingState, problem }),
  };
}

function findBindingPlan(
  batch: PackedBatch,
  classes: readonly PodClass[],
  karpenterRuns: readonly KarpenterRun[],
  convertKarpenterPlan: () => PackedBatch | undefined,
): PackedBatch {
  const { assigned, packing: baseline } = batch;
  const maxHourlyUsd = computePriceCeilingUsd(assigned, baseline, classes, karpenterRuns);
  const maxUnplacedPods = computeMaxUnplacedPods(assigned, baseline, classes, karpenterRuns);
  const context = createSimulationContext(assigned, baseline, classes, maxHourlyUsd, maxUnplacedPods);
  const start = evaluatePacking(context, baseline);
  if (!start) return batch;
  if (bindsCompletely(start)) return { assigned, packing: reduceNodes(context, start).packing };
  const converted = convertKarpenterPlan();
  const karpenter = converted && isAffordable(converted.packing, baseline) ? ifItBinds(converted, classes) : undefined;
  if (karpenter && karpenter.packing.costUsd <= baseline.costUsd * MAX_REPAIR_COST) return karpenter;

  const starts = buildSearchStarts(context, assigned, {
    podGroups: assigned.podGroups,
    evaluated: start,
  });
  const improved = context.budget.withShare(LOCAL_SEARCH_SHARE, () =>
    improveStarts(context, starts.slice(0, MAX_LOCAL_SEARCHES)),
  );
  const candidates = [...starts, ...improved];
  const repaired = findUnimprovableStart(context, candidates) ?? annealWithSeveralSeeds(context, candidates);
  if (karpenter && karpenter.packing.costUsd <= repaired.costUsd) return karpenter;
  const promised = leaveDisplacedPods(context, repaired.packing);
  return { assigned, packing: (promised ?? repaired).packing };
}

/**
 * A repair costs about as much. If Karpenter's plan binds for no more, the search for a repair is
 * skipped.
 */
const MAX_REPAIR_COST = 1.1;

/** Returns a plan if it can be simulated and binds completely in every order. */
function ifItBinds(batch: PackedBatch, classes: readonly PodClass[]): PackedBatch | undefined {
  if (!shouldSimulate(batch, classes)) return undefined;
  const { assigned, packing } = batch;
  const context = createSimulationContext(assigned, packing, classes, packing.hourlyUsd);
  const evaluated = evaluatePacking(context, packing);
  return evaluated && bindsCompletely(evaluated) ? batch : undefined;
}

/**
 * Runs local search on the starts, the most promising first. Repairs add cost, so a start that costs
 * more than a packing that binds completely is left out.
 */
function improveStarts(context: SimulationContext, starts: readonly SearchStart[]): SearchStart[] {
  let maxUsd = findBindingCostUsd(starts);
  return starts.flatMap((start) => {
    if (start.evaluated.packing.costUsd >= maxUsd) return [];
    const results = repairByLocalSearch(context, start);
    maxUsd = Math.min(maxUsd, findBindingCostUsd(results));
    return results;
  });
}

/** The cost of the cheapest packing that binds completely; Infinity if none does. */
const findBindingCostUsd = (starts: readonly SearchStart[]): number =>
  Math.min(...starts.map(({ evaluated }) => (bindsCompletely(evaluated) ? evaluated.costUsd : Infinity)));

/** Runs local search on one packing. Returns only results within the price ceiling. */
function repairByLocalSearch(context: SimulationContext, searchStart: SearchStart): SearchStart[] {
  return searchLocally(context, searchStart).map((evaluated) => ({
    ...searchStart,
    evaluated,
  }));
}

function searchLocally(context: SimulationContext, { podGroups, evaluated }: SearchStart): EvaluatedPacking[] {
  const { maxHourlyUsd } = context;
  // Both searches begin with the same moves.
  const listMoves = memoize((current: EvaluatedPacking) => [...listTargetedMoves(context, current, podGroups)]);
  const results = localSearch(context, evaluated, listMoves, maxHourlyUsd);
  if (results.some(bindsCompletely)) return results;
  const overpriced = localSearch(context, evaluated, listMoves, maxHourlyUsd * MAX_PRICE_OVERSHOOT).find(
    bindsCompletely,
  );
  const trimmedPacking = overpriced && trimToPrice(context, overpriced);
  return trimmedPacking && trimmedPacking.packing.hourlyUsd <= maxHourlyUsd ? [...results, trimmedPacking] : results;
}

/**
 * How far local search may exceed the price ceiling, as a factor. Capacity is then trimmed to the
 * ceiling.
 */
const MAX_PRICE_OVERSHOOT = 1.15;

/**
 * A single class has no other pods that could displace its own. Without a simulation of Karpenter
 * the price ceiling is unknown.
 */
function shouldSimulate(batch: PackedBatch, classes: readonly PodClass[]): boolean {
  const { problem, podGroups } = batch.assigned;
  if (podGroups.length === 0 || classes.length < 2 || !canSimulateKarpenter(problem, classes)) return false;
  return countPods(classes) * (problem.existingNodes.length + countNodes(batch.packing)) <= MAX_SIMULATION_STEPS;
}

/** Reserved capacity and devices are not simulated. */
const shouldTopUp = ({ assigned: { problem, podGroups } }: PackedBatch, classes: readonly PodClass[]): boolean => {
  return podGroups.length > 0 && classes.length > 1 && !problem.reservations && !problem.devices;
};
