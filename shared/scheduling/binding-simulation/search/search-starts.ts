import type { AssignedBatch } from '../../assignment/assign-batch.ts';
import type { PodGroup } from '../../assignment/pod-groups.ts';
import { assumeNodeCost } from '../../input/node-costs.ts';
import { packByPrice } from '../../packing/constructions/best-price.ts';
import { packFirstFit } from '../../packing/constructions/first-fit.ts';
import { packEvenly } from '../../packing/constructions/pack-evenly.ts';
import { listZoneGatherings } from '../../packing/constructions/zone-gatherings.ts';
import { type Construction, type Packing, pack } from '../../packing/packing.ts';
import { type EvaluatedPacking, evaluatePacking, refreshEvaluation } from '../evaluation/evaluate-packing.ts';
import type { SimulationContext } from '../evaluation/simulation-context.ts';

/** An evaluated packing, and the pod groups that it was built from. */
export interface SearchStart {
  readonly podGroups: readonly PodGroup[];
  readonly evaluated: EvaluatedPacking;
}

/** Assumed costs per node, in USD per hour. A higher cost gives fewer and larger nodes. */
const ASSUMED_NODE_COSTS_USD = [0.02, 0.05, 0.15, 0.5, 2];

const CONSTRUCTIONS: readonly Construction[] = [
  packFirstFit,
  packEvenly,
  ...ASSUMED_NODE_COSTS_USD.map(
    (usd): Construction =>
      (packingState, podGroups) =>
        packByPrice(packingState, podGroups, assumeNodeCost(usd)),
  ),
];

/** Builds packings in several ways within the price ceiling, sorted by cost. */
export function buildSearchStarts(
  context: SimulationContext,
  { problem, podGroups }: AssignedBatch,
  start: SearchStart,
): SearchStart[] {
  const starts = [start];
  const evaluate = (packing: Packing, variantGroups: readonly PodGroup[]): void => {
    if (packing.unplacedPods > start.evaluated.packing.unplacedPods) return;
    const evaluated = evaluatePacking(context, packing);
    if (evaluated) starts.push({ podGroups: variantGroups, evaluated });
  };
  for (const variantGroups of listZoneGatherings(problem, podGroups)) {
    for (const construct of CONSTRUCTIONS) {
      if (context.budget.isExhausted()) break;
      const packing = pack(problem, variantGroups, construct);
      if (packing.hourlyUsd <= context.maxHourlyUsd) evaluate(packing, variantGroups);
    }
  }
  return rankSearchStarts(context, starts);
}

/** Updates the evaluations to all adversarial orders found so far and sorts by cost. */
export const rankSearchStarts = (context: SimulationContext, starts: readonly SearchStart[]): SearchStart[] =>
  starts
    .map((start) => ({ ...start, evaluated: refreshEvaluation(context, start.evaluated) }))
    .toSorted((a, b) => a.evaluated.costUsd - b.evaluated.costUsd);
