import type { Packing } from '../../packing/packing.ts';
import { bindsCompletely, type EvaluatedPacking, evaluatePacking } from '../evaluation/evaluate-packing.ts';
import type { SimulationContext } from '../evaluation/simulation-context.ts';
import { listReductions } from '../repair-moves/reduce-capacity.ts';

/**
 * Maximum number of improvements of one packing, and of rounds in sequence without a lower cost.
 */
const MAX_ROUNDS = 20;
const MAX_ROUNDS_WITHOUT_GAIN = 5;

/** Maximum increase of the cost in one round, as a factor. */
const MAX_COST_INCREASE = 1.5;

/** Maximum number of passes over the nodes when capacity is trimmed. */
const MAX_TRIM_ROUNDS = 3;

/**
 * Adds room for displaced pods until none is left. Each round takes the change that costs least.
 *
 * @param listMoves - the changes that are tried
 * @returns the packing of each round
 */
export function localSearch(
  context: SimulationContext,
  start: EvaluatedPacking,
  listMoves: (evaluated: EvaluatedPacking) => readonly Packing[],
  maxHourlyUsd: number,
): EvaluatedPacking[] {
  const results: EvaluatedPacking[] = [];
  let current = start;
  let bestUsd = start.costUsd;
  for (
    let withoutGain = 0;
    results.length < MAX_ROUNDS && withoutGain < MAX_ROUNDS_WITHOUT_GAIN && !bindsCompletely(current);
  ) {
    let next: EvaluatedPacking | undefined;
    for (const packing of listMoves(current)) {
      if (context.budget.isExhausted()) return results;
      if (packing.hourlyUsd > maxHourlyUsd) continue;
      next = evaluatePacking(context, packing, next?.costUsd ?? current.costUsd * MAX_COST_INCREASE, current) ?? next;
    }
    if (!next) break;
    withoutGain = next.costUsd < bestUsd ? 0 : withoutGain + 1;
    bestUsd = Math.min(bestUsd, next.costUsd);
    results.push(next);
    current = next;
  }
  return results;
}

/**
 * Removes capacity step by step until the price ceiling holds, as long as the cost does not rise.
 */
export function trimToPrice(context: SimulationContext, start: EvaluatedPacking): EvaluatedPacking {
  let current = start;
  for (let round = 0; round < MAX_TRIM_ROUNDS; round++) {
    const previous = current;
    for (const packing of listReductions(previous, context.problem)) {
      if (current.packing.hourlyUsd <= context.maxHourlyUsd || context.budget.isExhausted()) return current;
      if (packing.costUsd < current.costUsd) {
        current = evaluatePacking(context, packing, current.costUsd, current) ?? current;
      }
    }
    if (current === previous) break;
  }
  return current;
}
