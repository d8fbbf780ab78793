import type { PodGroup } from '../../assignment/pod-groups.ts';
import type { Packing } from '../../packing/packing.ts';
import { bindsCompletely, type EvaluatedPacking, evaluatePacking } from '../evaluation/evaluate-packing.ts';
import type { SimulationContext } from '../evaluation/simulation-context.ts';
import { withUnplacedPods } from '../repair-moves/leave-pods.ts';
import type { DisplacedPods } from '../scheduler-model/simulate-binding.ts';

/** Each round ends with a new counterexample, or with a packing that binds. */
const MAX_ROUNDS = 40;

/**
 * Leaves the displaced pods of a packing unplaced, order by order, until the others bind in every
 * order. Limits of NodePools leave pods unplaced anyway, so this promises less without placing fewer
 * pods than Karpenter.
 *
 * @returns undefined if more pods would be left out than the context allows, or if a displaced pod
 *   has to be placed
 */
export function leaveDisplacedPods(context: SimulationContext, packing: Packing): EvaluatedPacking | undefined {
  let current = evaluatePacking(context, packing);
  for (let round = 0; current && round < MAX_ROUNDS; round++) {
    if (bindsCompletely(current)) return current;
    if (context.budget.isExhausted()) return undefined;
    const smaller = withoutDisplacedPods(context, current);
    current = smaller && evaluatePacking(context, smaller, Infinity, current);
  }
  return undefined;
}

function withoutDisplacedPods(
  { maxUnplacedPods }: SimulationContext,
  { packing, displaced }: EvaluatedPacking,
): Packing | undefined {
  const podGroups = listPodGroups(packing);
  let smaller: Packing | undefined = packing;
  for (const one of findWorstOrder(displaced)) {
    smaller = smaller && withUnplacedPods(smaller, one, podGroups, one.pods);
  }
  return smaller && smaller.unplacedPods <= maxUnplacedPods ? smaller : undefined;
}

const listPodGroups = ({ packingState }: Packing): readonly PodGroup[] => [
  ...new Set(packingState.newNodes.flatMap(({ podCounts }) => [...podCounts.keys()])),
];

const findWorstOrder = (displaced: EvaluatedPacking['displaced']): readonly DisplacedPods[] =>
  [...displaced.values()].reduce((worst, next) => (countPods(next) > countPods(worst) ? next : worst));

const countPods = (all: readonly DisplacedPods[]): number => all.reduce((total, { pods }) => total + pods, 0);
