import type { AssignedBatch } from '../assignment/assign-batch.ts';
import { canSimulateKarpenter, type KarpenterRun } from '../karpenter-price/simulate-karpenter.ts';
import type { Packing } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import {
  bindsCompletely,
  type EvaluatedPacking,
  evaluatePacking,
} from './evaluation/evaluate-packing.ts';
import {
  createSimulationContext,
  type SimulationContext,
} from './evaluation/simulation-context.ts';
import { computeMaxUnplacedPods, computePriceCeilingUsd } from './price-ceiling.ts';
import { localSearch, trimToPrice } from './search/local-search.ts';
import { buildSearchStarts, type SearchStart } from './search/search-starts.ts';
import { annealFromSeveralStarts } from './search/simulated-annealing.ts';

/**
 * Maximum of pods times nodes. Above it the cheapest packing is kept: of many pods only a small
 * share is displaced, and the next plan launches nodes for these.
 */
const MAX_SIMULATION_STEPS = 60_000;

/** Number of packings on which local search starts, the most promising first. */
const MAX_LOCAL_SEARCHES = 6;

/** Share of the work budget for local search. Simulated annealing gets the rest. */
const LOCAL_SEARCH_SHARE = 0.5;

/**
 * Finds a packing whose pods all find a node in every simulated binding order, within the price
 * ceiling. Packings are built in several ways and simulated; where pods are displaced, local search
 * and simulated annealing add or rearrange capacity. The cost of displaced pods is weighed against
 * the price.
 *
 * @param karpenterRuns - simulated runs of Karpenter for the price ceiling; empty if it cannot be
 *   simulated
 * @returns the cheapest packing itself if it binds completely or is too large to simulate
 */
export function repairPlan(
  assigned: AssignedBatch,
  baseline: Packing,
  classes: readonly PodClass[],
  karpenterRuns: readonly KarpenterRun[],
): Packing {
  if (!shouldSimulate(assigned, baseline, classes)) return baseline;
  const maxHourlyUsd = computePriceCeilingUsd(assigned, baseline, classes, karpenterRuns);
  const maxUnplacedPods = computeMaxUnplacedPods(assigned, baseline, classes, karpenterRuns);
  const context = createSimulationContext(
    assigned,
    baseline,
    classes,
    maxHourlyUsd,
    maxUnplacedPods,
  );
  const start = evaluatePacking(context, baseline);
  if (!start || bindsCompletely(start)) return baseline;

  const starts = buildSearchStarts(context, assigned, {
    podGroups: assigned.podGroups,
    evaluated: start,
  });
  const improved = context.budget.withShare(LOCAL_SEARCH_SHARE, () =>
    starts
      .slice(0, MAX_LOCAL_SEARCHES)
      .flatMap((searchStart) => repairByLocalSearch(context, searchStart)),
  );
  return annealFromSeveralStarts(context, [...starts, ...improved]);
}

/** Runs local search on one packing. Returns only results within the price ceiling. */
function repairByLocalSearch(context: SimulationContext, searchStart: SearchStart): SearchStart[] {
  return searchLocally(context, searchStart).map((evaluated) => ({
    ...searchStart,
    evaluated,
  }));
}

function searchLocally(
  context: SimulationContext,
  { podGroups, evaluated }: SearchStart,
): EvaluatedPacking[] {
  const { maxHourlyUsd } = context;
  const results = localSearch(context, evaluated, podGroups, maxHourlyUsd);
  if (results.some(bindsCompletely)) return results;
  const overpriced = localSearch(
    context,
    evaluated,
    podGroups,
    maxHourlyUsd * MAX_PRICE_OVERSHOOT,
  ).find(bindsCompletely);
  const trimmedPacking = overpriced && trimToPrice(context, overpriced);
  return trimmedPacking && trimmedPacking.packing.hourlyUsd <= maxHourlyUsd
    ? [...results, trimmedPacking]
    : results;
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
function shouldSimulate(
  { problem, podGroups }: AssignedBatch,
  { packingState }: Packing,
  classes: readonly PodClass[],
): boolean {
  if (podGroups.length === 0 || classes.length < 2 || !canSimulateKarpenter(problem, classes))
    return false;
  const pods = classes.reduce((total, cls) => total + cls.pods.length, 0);
  const nodes = packingState.newNodes.length + problem.existingNodes.length;
  return pods * nodes <= MAX_SIMULATION_STEPS;
}
