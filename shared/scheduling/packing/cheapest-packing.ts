import { countPods, isSmallBatch, type PodGroup } from '../assignment/pod-groups.ts';
import type { PlacementProblem } from '../devices/device-tracker.ts';
import { compareUnplacedByPriority, type UnplacedPods } from '../pods/priority-comparison.ts';
import { packByPrice } from './constructions/best-price.ts';
import { fillOpenNodes, packFirstFit } from './constructions/first-fit.ts';
import { packByResources } from './constructions/pack-by-resources.ts';
import { packEvenly } from './constructions/pack-evenly.ts';
import type { ReservedMode } from './pack-reserved.ts';
import { type Construction, isCheaper, type Packing, pack } from './packing.ts';

/** Karpenter's way is the floor where few kinds of pods are packed; where many mix it never wins. */
const CONSTRUCTIONS_FOR_FEW_GROUPS: readonly Construction[] = [packFirstFit];
const MAX_FEW_GROUPS = 100;

/** Remainders are better judged node by node. */
const CONSTRUCTIONS_FOR_SMALL_BATCHES: readonly Construction[] = [packByPrice];

/** Pod by pod, it is the floor again where prices hardly tell types apart; work grows with nodes. */
const CONSTRUCTIONS_FOR_FEW_PODS: readonly Construction[] = [packEvenly];
const MAX_FEW_PODS = 200;

/**
 * The cheapest packing of those that place most.
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
  // Large batches are priced right by the linear programme, which knows nothing of devices.
  const packings = [packWith(packByResources)];
  const pods = countPods(podGroups);
  const isExact = isSmallBatch(pods) || problem.devices !== undefined;
  // Limits that cut pods short make a small batch of a large one.
  if (isExact || podGroups.length <= MAX_FEW_GROUPS || packings.every(hasUnplacedPods)) {
    packings.push(...CONSTRUCTIONS_FOR_FEW_GROUPS.map(packWith));
  }
  if (isExact || packings.every(hasUnplacedPods))
    packings.push(...CONSTRUCTIONS_FOR_SMALL_BATCHES.map(packWith));
  if (pods <= MAX_FEW_PODS) packings.push(...CONSTRUCTIONS_FOR_FEW_PODS.map(packWith));
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
 * The same construction, level by level of priority: where limits leave too little for all, pods of
 * lower priority go without.
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
