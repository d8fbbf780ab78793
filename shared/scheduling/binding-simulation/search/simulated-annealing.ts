import { createSeededRandom } from '../../../model/random.ts';
import { countPods, type PodGroup } from '../../assignment/pod-groups.ts';
import {
  bindsCompletely,
  type EvaluatedPacking,
  evaluatePacking,
  findCheapestInAllOrders,
  type PricedPacking,
  refreshEvaluation,
} from '../evaluation/evaluate-packing.ts';
import type { SimulationContext } from '../evaluation/simulation-context.ts';
import { listRandomMoves } from '../repair-moves/random-moves.ts';
import { reduceNodes } from './reduce-nodes.ts';
import { rankSearchStarts, type SearchStart } from './search-starts.ts';

/** Temperature at the start and at the end, as a share of the price of the cheapest packing. */
const [FIRST_TEMPERATURE, LAST_TEMPERATURE] = [0.05, 0.005];

/**
 * How far a packing may exceed the price ceiling, as a factor. Each dollar above the ceiling is
 * multiplied by a factor that rises from the first to the last.
 */
const MAX_PRICE_OVERSHOOT = 1.15;
const [FIRST_EXCESS_FACTOR, LAST_EXCESS_FACTOR] = [3, 100];

/** Limits the moves: with few pods there are few different packings. */
const MOVES_PER_POD = 20;

/** Visits that building a packing costs, for each node and each class. */
const VISITS_PER_MOVE = 100;

/**
 * Applies random moves to a packing. A better packing is always accepted, a worse one with a
 * probability that falls with the temperature, so that the search leaves local minima. Ends with
 * the first packing that binds completely, or when the work budget is exhausted.
 *
 * @param seed - seed of the random moves
 * @returns the best packing within the price ceiling, or the start if none is better
 * @see Kirkpatrick, Gelatt, Vecchi: Optimization by Simulated Annealing (1983)
 */
export function simulatedAnnealing(
  context: SimulationContext,
  start: EvaluatedPacking,
  podGroups: readonly PodGroup[],
  seed: number,
): EvaluatedPacking {
  const { budget, baselineHourlyUsd, maxHourlyUsd } = context;
  const random = createSeededRandom(seed);
  const initialVisits = budget.remaining();
  if (bindsCompletely(start)) return start;
  const excessUsd = ({ packing }: Pick<EvaluatedPacking, 'packing'>) => Math.max(0, packing.hourlyUsd - maxHourlyUsd);
  let current = start;
  let best = start;
  const moves = listRandomMoves(context, podGroups);
  const maxMoves = MOVES_PER_POD * countPods(podGroups);
  for (let move = 0; move < maxMoves && !budget.isExhausted(); move++) {
    const progress = Math.max(1 - budget.remaining() / initialVisits, move / maxMoves);
    const temperature = baselineHourlyUsd * interpolate(FIRST_TEMPERATURE, LAST_TEMPERATURE, progress);
    const excessFactor = interpolate(FIRST_EXCESS_FACTOR, LAST_EXCESS_FACTOR, progress);
    const acceptedUsd = current.costUsd + excessFactor * excessUsd(current) - temperature * Math.log(1 - random());
    budget.spend(VISITS_PER_MOVE * (current.nodes.length + context.podClasses.models.length));
    const packing = moves[Math.floor(random() * moves.length)]?.(context, current, podGroups, random);
    if (!packing || packing.hourlyUsd > maxHourlyUsd * MAX_PRICE_OVERSHOOT) continue;
    const excess = excessUsd({ packing });
    if (packing.costUsd + excessFactor * excess > acceptedUsd) continue;
    const maxUsd = acceptedUsd - excessFactor * excess;
    const next = evaluatePacking(context, packing, maxUsd, current, true);
    current = refreshEvaluation(context, current);
    best = refreshEvaluation(context, best);
    if (!next) continue;
    current = next;
    if (excess > 0 || next.costUsd >= best.costUsd) continue;
    best = next;
    if (bindsCompletely(next)) break;
  }
  return best;
}

/** Interpolates geometrically. */
const interpolate = (first: number, last: number, progress: number): number => first * (last / first) ** progress;

/**
 * Visits of each run; every run has its own seed. Of 136 random cases annealing completes 22, of which 21 in the first
 * run; runs from other packings complete none, and what they leave unbound is not less.
 */
const VISITS_OF_RUNS = [4_000_000, 3_300_000];

/**
 * If the penalties for displaced pods exceed this share of the cheapest packing's price in every
 * start, annealing would not succeed.
 */
const UNIMPROVABLE_START_SHARE = 10;

/** If they exceed this share in every result, no order has to tell which result costs least. */
const UNIMPROVABLE_SHARE = 3;

/**
 * Returns the start with the least cost if annealing could not improve any; undefined if it may succeed.
 */
export function findUnimprovableStart(
  context: SimulationContext,
  searchStarts: readonly SearchStart[],
): PricedPacking | undefined {
  const evaluated = rankSearchStarts(context, searchStarts).map((start) => start.evaluated);
  const areUnimprovable = evaluated.every((one) => isUnimprovable(context, one, UNIMPROVABLE_START_SHARE));
  return areUnimprovable ? findCheapest(evaluated) : undefined;
}

/**
 * Runs simulated annealing from the cheapest packing with several seeds, because one run may get stuck.
 *
 * @param searchStarts - at least one
 * @returns the first packing that binds completely, or the one with the least cost in all orders
 */
export function annealWithSeveralSeeds(
  context: SimulationContext,
  searchStarts: readonly SearchStart[],
): PricedPacking {
  const [start] = rankSearchStarts(context, searchStarts);
  if (!start) throw new RangeError('annealing starts from a packing');
  const { evaluated, podGroups } = start;
  const results: EvaluatedPacking[] = [];
  for (const [index, visits] of VISITS_OF_RUNS.entries()) {
    const result = context.budget.withVisits(visits, () =>
      simulatedAnnealing(context, evaluated, podGroups, index + 1),
    );
    if (bindsCompletely(result)) {
      const { packing, costUsd } = reduceNodes(context, result);
      return { packing, costUsd };
    }
    results.push(result);
  }
  if (results.every((result) => isUnimprovable(context, result, UNIMPROVABLE_SHARE))) return findCheapest(results);
  return findCheapestInAllOrders(context, results) ?? findCheapest(results);
}

const isUnimprovable = (
  { baselineHourlyUsd }: SimulationContext,
  { costUsd, packing }: EvaluatedPacking,
  maxShare: number,
): boolean => costUsd - packing.costUsd > maxShare * baselineHourlyUsd;

const findCheapest = (results: readonly EvaluatedPacking[]): PricedPacking =>
  results.reduce((a, b) => (b.costUsd < a.costUsd ? b : a));
