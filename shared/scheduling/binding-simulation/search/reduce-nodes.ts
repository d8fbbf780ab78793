import type { Packing } from '../../packing/packing.ts';
import { bindsCompletely, type EvaluatedPacking, evaluatePacking } from '../evaluation/evaluate-packing.ts';
import type { SimulationContext } from '../evaluation/simulation-context.ts';
import { listReductions } from '../repair-moves/reduce-capacity.ts';
import { withFewerNodes } from '../repair-moves/remove-nodes.ts';

/** Maximum number of changes. */
const MAX_REDUCTIONS = 30;

/** A packing with fewer nodes may cost more by this share of the first one, all changes together. */
const MAX_COST_INCREASE = 0.05;

/**
 * Makes a packing that binds completely cheaper, or gives it fewer nodes for nearly the same cost:
 * repairs add nodes and room until all pods bind, and often more than that takes. Every result binds
 * completely.
 */
export function reduceNodes(context: SimulationContext, start: EvaluatedPacking): EvaluatedPacking {
  if (!bindsCompletely(start)) return start;
  const maxUsd = start.packing.costUsd * (1 + MAX_COST_INCREASE);
  let current = start;
  for (let change = 0; change < MAX_REDUCTIONS; change++) {
    const next = findReduction(context, current, maxUsd);
    if (!next) break;
    current = next;
  }
  return current;
}

function findReduction(
  context: SimulationContext,
  current: EvaluatedPacking,
  maxUsd: number,
): EvaluatedPacking | undefined {
  const { problem, maxHourlyUsd, budget } = context;
  const nodes = countNodes(current.packing);
  const isBetter = (packing: Packing): boolean =>
    packing.hourlyUsd <= maxHourlyUsd &&
    (packing.costUsd < current.packing.costUsd || (countNodes(packing) < nodes && packing.costUsd <= maxUsd));
  const candidates = [...withFewerNodes(current.packing, problem), ...listReductions(current, problem)].filter(
    isBetter,
  );
  for (const packing of candidates.toSorted((a, b) => a.costUsd - b.costUsd)) {
    if (budget.isExhausted()) return undefined;
    const next = evaluatePacking(context, packing, maxUsd, current);
    if (next && bindsCompletely(next)) return next;
  }
  return undefined;
}

export const countNodes = ({ packingState }: Packing): number => packingState.newNodes.length;
