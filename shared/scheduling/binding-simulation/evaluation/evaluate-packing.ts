import type { Packing } from '../../packing/packing.ts';
import type { DisplacedPods } from '../scheduler-model/simulate-binding.ts';
import { countPodsOnLighterPools } from './pool-weights.ts';
import type { SimulationContext } from './simulation-context.ts';
import {
  computePenaltyUsd,
  createSimulationRuns,
  type SimulationResult,
  type SimulationRuns,
} from './simulation-runs.ts';

/** A packing with the results of its simulations. */
export interface EvaluatedPacking extends SimulationResult {
  /** Number of adversarial orders that were simulated. */
  readonly orders: number;
}

/** A packing with its cost, penalties for displaced pods included. */
export interface PricedPacking {
  readonly packing: Packing;
  readonly costUsd: number;
}

export const bindsCompletely = ({ displaced }: Pick<SimulationResult, 'displaced'>): boolean =>
  [...displaced.values()].every(({ length }) => length === 0);

/** Lists the pods that the simulated orders displace: those of one class once for each of these orders. */
export const listDisplaced = ({ displaced }: Pick<EvaluatedPacking, 'displaced'>): readonly DisplacedPods[] =>
  [...displaced.values()].flat();

/**
 * Simulates a packing in the adversarial orders. If all pods bind and the packing is within the
 * price ceiling, it is simulated in the remaining orders, too. The first order that displaces pods
 * becomes an adversarial order for all later evaluations.
 *
 * @param maxCostUsd - maximum cost, in USD per hour, penalties for displaced pods included
 * @param similar - an evaluated packing; the orders that displaced most of its pods are simulated
 *   first
 * @param usesEstimates - true if orders that are not simulated yet count as they did for the similar packing, so that
 *   most packings are refused after one or two orders
 * @returns undefined as soon as the cost is known (or estimated) to exceed `maxCostUsd`, or if the packing puts
 *   more pods than the baseline on pools of too low a weight
 */
export function evaluatePacking(
  context: SimulationContext,
  packing: Packing,
  maxCostUsd = Infinity,
  similar?: EvaluatedPacking,
  usesEstimates = false,
): EvaluatedPacking | undefined {
  if (countPodsOnLighterPools(packing.packingState) > context.baselinePodsOnLighterPools) return undefined;
  const { adversarialOrders } = context;
  const runs = createSimulationRuns(context, packing);
  const expectedUsd = (number: number): number =>
    usesEstimates ? computePenaltyUsd(context, similar?.displaced.get(number) ?? []) : 0;
  let remainingUsd = adversarialOrders.reduce((usd, number) => usd + expectedUsd(number), 0);
  for (const number of sortByLikelyFailure(runs, adversarialOrders, similar)) {
    runs.run(number);
    remainingUsd -= expectedUsd(number);
    if (runs.costUsd() + remainingUsd > maxCostUsd + ROUNDING_USD) return undefined;
  }
  const isCandidate = packing.hourlyUsd <= context.maxHourlyUsd && bindsCompletely(runs.result());
  const counterexample = isCandidate ? findCounterexample(runs, adversarialOrders) : undefined;
  if (counterexample !== undefined) adversarialOrders.push(counterexample);
  const evaluated = { ...runs.result(), orders: adversarialOrders.length };
  return evaluated.costUsd > maxCostUsd ? undefined : evaluated;
}

/** Expected penalties are added and subtracted again, which leaves rounding errors. */
const ROUNDING_USD = 1e-9;

/** Simulates the packing in the adversarial orders that were added since its evaluation. */
export function refreshEvaluation(context: SimulationContext, evaluated: EvaluatedPacking): EvaluatedPacking {
  const { adversarialOrders } = context;
  if (evaluated.orders === adversarialOrders.length) return evaluated;
  const runs = createSimulationRuns(context, evaluated.packing, evaluated);
  for (const number of adversarialOrders.slice(evaluated.orders)) runs.run(number);
  return { ...runs.result(), orders: adversarialOrders.length };
}

/** Finds the first of the other orders that displaces pods. */
function findCounterexample(runs: SimulationRuns, adversarialOrders: readonly number[]): number | undefined {
  const tried = new Set(adversarialOrders);
  for (let number = 0; number < runs.orders; number++) {
    if (tried.has(number)) continue;
    if (runs.run(number).length > 0) return number;
  }
  return undefined;
}

/** Sorts cached orders first, then the orders that displaced most pods of the similar packing. */
function sortByLikelyFailure(
  { isCached }: SimulationRuns,
  orders: readonly number[],
  similar: EvaluatedPacking | undefined,
): readonly number[] {
  const podsIn = (number: number): number =>
    (similar?.displaced.get(number) ?? []).reduce((total, { pods }) => total + pods, 0);
  const likelihood = new Map(orders.map((number) => [number, (isCached(number) ? CACHED_FIRST : 0) + podsIn(number)]));
  return orders.toSorted((a, b) => (likelihood.get(b) ?? 0) - (likelihood.get(a) ?? 0));
}

/** Larger than any number of pods. */
const CACHED_FIRST = 1e9;

/** Number of results that are compared in all orders, those first that cost least in the adversarial ones. */
const MAX_COMPARED = 3;

/**
 * Finds the packing with the least cost in USD per hour, with penalties for the pods that any order
 * displaces. Further orders only add to a cost, so the packing that costs least so far is simulated in its next
 * order, until one has been simulated in all.
 */
export function findCheapestInAllOrders(
  context: SimulationContext,
  results: readonly EvaluatedPacking[],
): PricedPacking | undefined {
  const promising = results
    .map((result) => refreshEvaluation(context, result))
    .toSorted((a, b) => a.costUsd - b.costUsd)
    .slice(0, MAX_COMPARED);
  const candidates = promising.map((evaluated) => {
    const { packing, displaced } = evaluated;
    const runs = createSimulationRuns(context, packing, evaluated);
    const orders = Array.from({ length: runs.orders }, (_, number) => number);
    return { packing, runs, orders: orders.filter((number) => !displaced.has(number)).values() };
  });
  if (candidates.length === 0) return undefined;
  for (;;) {
    const { packing, runs, orders } = candidates.reduce((a, b) => (b.runs.costUsd() < a.runs.costUsd() ? b : a));
    const { value, done } = orders.next();
    if (done) return { packing, costUsd: runs.costUsd() };
    runs.run(value);
  }
}
