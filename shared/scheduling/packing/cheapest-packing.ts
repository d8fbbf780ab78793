import { isSmallBatch, countPods, type PodGroup } from '../assignment/pod-groups.ts';
import type { PlacementProblem } from '../devices/device-tracker.ts';
import { compareUnplacedByPriority, type UnplacedPods } from '../pods/priority-comparison.ts';
import { packByPrice } from './constructions/best-price.ts';
import { joinOpenDrafts, packFirstFit } from './constructions/first-fit.ts';
import { packByResources } from './constructions/pack-by-resources.ts';
import { packEvenly } from './constructions/pack-evenly.ts';
import type { ReservedMode } from './pack-reserved.ts';
import { type Construction, isCheaper, type Packing, pack } from './packing.ts';

/** Karpenter's way is the floor where few kinds of pods are packed; where many mix it never wins. */
const FOR_PLAIN: readonly Construction[] = [packFirstFit];
const PLAIN_UNITS = 100;

/** Remainders are better judged node by node. */
const FOR_SMALL: readonly Construction[] = [packByPrice];

/** Pod by pod, it is the floor again where prices hardly tell types apart; work grows with nodes. */
const FOR_FEW: readonly Construction[] = [packEvenly];
const FEW_PODS = 200;

/**
 * The cheapest packing of those that place most.
 *
 * @param inTurns - whether pods of lower priority get only what the others leave
 */
export function cheapestPacking(
  problem: PlacementProblem,
  units: readonly PodGroup[],
  reserved: ReservedMode = 'fallback',
  inTurns = false,
): Packing {
  const packWith = (construct: Construction) =>
    pack(problem, units, inTurns ? byPriority(construct) : construct, reserved);
  // Large batches are priced right by the linear programme, which knows nothing of devices.
  const packings = [packWith(packByResources)];
  const pods = countPods(units);
  const isOdd = isSmallBatch(pods) || problem.devices !== undefined;
  // Limits that cut pods short make a small batch of a large one.
  if (isOdd || units.length <= PLAIN_UNITS || packings.every(isCutShort)) {
    packings.push(...FOR_PLAIN.map(packWith));
  }
  if (isOdd || packings.every(isCutShort)) packings.push(...FOR_SMALL.map(packWith));
  if (pods <= FEW_PODS) packings.push(...FOR_FEW.map(packWith));
  const worse = inTurns ? worseForPriorities : worseForNumbers;
  return packings.reduce((best, next) => {
    const order = worse(next, best);
    return order < 0 || (order === 0 && isCheaper(next.costUsd, best.costUsd)) ? next : best;
  });
}

const isCutShort = ({ leftPods }: Packing): boolean => leftPods > 0;

const worseForNumbers = (a: Packing, b: Packing): number => a.leftPods - b.leftPods;

const worseForPriorities = (a: Packing, b: Packing): number =>
  compareUnplacedByPriority(missingOf(a), missingOf(b));

const missingOf = ({ left, deferred }: Packing): UnplacedPods =>
  [...left, ...deferred].map(([{ cls }, pods]) => [cls, pods]);

/**
 * The same construction, level by level of priority: where limits leave too little for all, pods of
 * lower priority go without.
 */
const byPriority =
  (construct: Construction): Construction =>
  (drafting, units) => {
    for (const level of levelsOf(units)) {
      for (const unit of level) joinOpenDrafts(drafting, unit);
      construct(drafting, level);
    }
  };

const levelsOf = (units: readonly PodGroup[]): readonly (readonly PodGroup[])[] =>
  [...Map.groupBy(units, ({ cls }) => cls.spec.priority)]
    .toSorted(([a], [b]) => b - a)
    .map(([, level]) => level);
