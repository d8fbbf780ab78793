import { countPods, isSmallBatch, type PodGroup } from '../assignment/pod-groups.ts';
import type { PlacementProblem } from '../devices/device-tracker.ts';
import { scaleNodeCosts } from '../input/node-costs.ts';
import type { Problem } from '../input/problem.ts';
import { WORK_LIMITS } from '../input/work-limits.ts';
import { compareUnplacedByPriority, type UnplacedPods } from '../pods/priority-comparison.ts';
import { packByPrice } from './constructions/best-price.ts';
import { fillOpenNodes, packFirstFit } from './constructions/first-fit.ts';
import { packByResources } from './constructions/pack-by-resources.ts';
import { packEvenly } from './constructions/pack-evenly.ts';
import type { ReservedMode } from './pack-reserved.ts';
import { type Construction, isCheaper, type Packing, pack } from './packing.ts';

/** First fit is never the cheapest if many kinds of pods are mixed. */
const CONSTRUCTIONS_FOR_FEW_GROUPS: readonly Construction[] = [packFirstFit];
const MAX_FEW_GROUPS = 100;

/**
 * Packings are also built as if nodes cost a third or three times of what they do: the constructions
 * round, and the best number of nodes is seldom the one that the real cost suggests.
 */
const NODE_COST_FACTORS = [1 / 3, 1, 3] as const;

/** The more pods there are, the less rounding costs: larger batches are packed without the lowest of these costs. */
const MAX_PODS_FOR_ALL_FACTORS = 4_000;
const FACTORS_FOR_MANY_PODS = [1, 3] as const;

/** Applies a construction with each of the assumed node costs. */
const withNodeCosts = (
  construct: typeof packByResources | typeof packByPrice,
  factors: readonly number[],
  { nodeCosts }: Problem,
): readonly Construction[] =>
  factors.map(
    (factor): Construction =>
      (state, podGroups) =>
        construct(state, podGroups, scaleNodeCosts(nodeCosts, factor)),
  );

/**
 * Packing pod by pod wins if prices hardly differ between types; its work grows with pods times
 * nodes.
 */
const CONSTRUCTIONS_FOR_FEW_PODS: readonly Construction[] = [packEvenly];
const MAX_FEW_PODS = 200;

/**
 * Tries the constructions that suit the batch and returns the cheapest packing of those that place
 * most pods.
 *
 * @param byPriority - whether pods of lower priority get only what the others leave
 */
export function findCheapestPacking(
  problem: PlacementProblem,
  podGroups: readonly PodGroup[],
  reserved: ReservedMode = 'fallback',
  byPriority = false,
): Packing {
  const packWith = (construct: Construction) =>
    pack(problem, podGroups, byPriority ? packByPriority(construct) : construct, reserved);
  const { work } = problem;
  const tryPackWith = (construct: Construction) =>
    work.tryOptional(WORK_LIMITS.packing, () => packWith(construct)) ?? [];
  // The linear programme prices large batches well, but does not know of devices.
  const pods = countPods(podGroups);
  const factors = pods > MAX_PODS_FOR_ALL_FACTORS ? FACTORS_FOR_MANY_PODS : NODE_COST_FACTORS;
  const packings = withNodeCosts(packByResources, factors, problem).flatMap(tryPackWith);
  if (packings.length === 0) packings.push(packWith(packFirstFit));
  const isExact = isSmallBatch(pods) || problem.devices !== undefined;
  // Limits that leave pods unplaced make a large batch a small one.
  if (isExact || podGroups.length <= MAX_FEW_GROUPS || packings.every(hasUnplacedPods)) {
    packings.push(...CONSTRUCTIONS_FOR_FEW_GROUPS.flatMap(tryPackWith));
  }
  // In small batches every node is a remainder, which is better chosen node by node.
  if (isExact || packings.every(hasUnplacedPods))
    packings.push(...withNodeCosts(packByPrice, NODE_COST_FACTORS, problem).flatMap(tryPackWith));
  if (pods <= MAX_FEW_PODS) packings.push(...CONSTRUCTIONS_FOR_FEW_PODS.flatMap(tryPackWith));
  const compare = byPriority ? compareByPriority : compareUnplacedPods;
  const mostPods = packings.reduce((best, next) => (compare(next, best) < 0 ? next : best));
  return pickFewestNodes(packings.filter((packing) => compare(packing, mostPods) === 0));
}

/** Packings whose cost differs by less than this share are nearly equal. */
const NEARLY_EQUAL = 0.05;

/** Picks the packing with the fewest nodes of those that cost nearly as little as the cheapest. */
export function pickFewestNodes(packings: readonly Packing[]): Packing {
  const maxUsd = Math.min(...packings.map(({ costUsd }) => costUsd)) * (1 + NEARLY_EQUAL);
  return packings
    .filter(({ costUsd }) => costUsd <= maxUsd)
    .reduce((best, next) => {
      const nodes = countNodes(next) - countNodes(best);
      return nodes < 0 || (nodes === 0 && isCheaper(next.costUsd, best.costUsd)) ? next : best;
    });
}

const countNodes = ({ packingState }: Packing): number => packingState.newNodes.length;

const hasUnplacedPods = ({ unplacedPods }: Packing): boolean => unplacedPods > 0;

const compareUnplacedPods = (a: Packing, b: Packing): number => a.unplacedPods - b.unplacedPods;

const compareByPriority = (a: Packing, b: Packing): number => compareUnplacedByPriority(listMissing(a), listMissing(b));

const listMissing = ({ unplaced, deferred }: Packing): UnplacedPods =>
  [...unplaced, ...deferred].map(([{ cls }, pods]) => [cls, pods]);

/**
 * Applies a construction to one priority level after the other: if limits leave too little room,
 * pods of lower priority stay unplaced.
 */
const packByPriority =
  (construct: Construction): Construction =>
  (state, podGroups) => {
    for (const level of listPriorityLevels(podGroups)) {
      for (const podGroup of level) fillOpenNodes(state, podGroup);
      construct(state, level);
    }
  };

const listPriorityLevels = (podGroups: readonly PodGroup[]): readonly (readonly PodGroup[])[] =>
  [...Map.groupBy(podGroups, ({ cls }) => cls.spec.priority)].toSorted(([a], [b]) => b - a).map(([, level]) => level);
