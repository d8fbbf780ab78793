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
 * @returns a packing with fewer displaced pods if more would be left out than the context allows, or if displaced
 *   pods have to be placed; undefined if its simulation takes too many visits
 */
export function leaveDisplacedPods(context: SimulationContext, packing: Packing): EvaluatedPacking | undefined {
  let current = evaluatePacking(context, packing);
  for (let round = 0; current && round < MAX_ROUNDS && !bindsCompletely(current); round++) {
    const smaller = leaveOut(current.packing, findWorstOrder(current.displaced));
    if (smaller === current.packing || smaller.unplacedPods > context.maxUnplacedPods) return current;
    if (context.budget.isExhausted()) return undefined;
    current = evaluatePacking(context, smaller, Infinity, current);
  }
  return current;
}

/** Leaves pods unplaced as far as that is possible, and keeps their room free. */
export function leaveOut(packing: Packing, displaced: readonly DisplacedPods[]): Packing {
  const podGroups = listPodGroups(packing);
  return displaced.reduce((smaller, one) => withUnplacedPods(smaller, one, podGroups, one.pods) ?? smaller, packing);
}

const listPodGroups = ({ packingState }: Packing): readonly PodGroup[] => [
  ...new Set(packingState.newNodes.flatMap(({ podCounts }) => [...podCounts.keys()])),
];

const findWorstOrder = (displaced: EvaluatedPacking['displaced']): readonly DisplacedPods[] =>
  [...displaced.values()].reduce((worst, next) => (countPods(next) > countPods(worst) ? next : worst));

const countPods = (all: readonly DisplacedPods[]): number => all.reduce((total, { pods }) => total + pods, 0);
