import { countPods, isSmallBatch, type PodGroup } from '../assignment/pod-groups.ts';
import type { PlacementProblem } from '../devices/device-tracker.ts';
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

/** In small batches every node is a remainder, which is better chosen node by node. */
const CONSTRUCTIONS_FOR_SMALL_BATCHES: readonly Construction[] = [packByPrice];

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
  const packings = [tryPackWith(packByResources)].flat();
  if (packings.length === 0) packings.push(packWith(packFirstFit));
  const pods = countPods(podGroups);
  const isExact = isSmallBatch(pods) || problem.devices !== undefined;
  // Limits that leave pods unplaced make a large batch a small one.
  if (isExact || podGroups.length <= MAX_FEW_GROUPS || packings.every(hasUnplacedPods)) {
    packings.push(...CONSTRUCTIONS_FOR_FEW_GROUPS.flatMap(tryPackWith));
  }
  if (isExact || packings.every(hasUnplacedPods))
    packings.push(...CONSTRUCTIONS_FOR_SMALL_BATCHES.flatMap(tryPackWith));
  if (pods <= MAX_FEW_PODS) packings.push(...CONSTRUCTIONS_FOR_FEW_PODS.flatMap(tryPackWith));
  const compare = byPriority ? compareByPriority : compareUnplacedPods;
  return packings.reduce((best, next) => {
    const order = compare(next, best);
    return order < 0 || (order === 0 && isCheaper(next.costUsd, best.costUsd)) ? next : best;
  });
}

const hasUnplacedPods = ({ unplacedPods }: Packing): boolean => unplacedPods > 0;

const compareUnplacedPods = (a: Packing, b: Packing): number => a.unplacedPods - b.unplacedPods;

const compareByPriority = (a: Packing, b: Packing): number =>
  compareUnplacedByPriority(listMissing(a), listMissing(b));

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
  [...Map.groupBy(podGroups, ({ cls }) => cls.spec.priority)]
    .toSorted(([a], [b]) => b - a)
    .map(([, level]) => level);
