import { computeFairPrice } from '../../assignment/fair-price.ts';
import { isSmallBatch } from '../../assignment/pod-groups.ts';
import { addTimes, at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import type { HeaviestOptions } from '../constructions/by-weight.ts';
import type { PodShape, PodShapes } from '../constructions/pod-shapes.ts';
import { type EligibilityGroupOf, groupByEligibility } from './eligibility-groups.ts';
import { type EligibilityGroup, listOfferGroups, type OfferGroup } from './offer-groups.ts';
import { computeShadowPrices, computeValue, type ShadowPrices } from './shadow-prices.ts';

/** What pods are worth to whoever opens a node for them. */
export interface PodPrices {
  /** By crowd; columns of the resources, then of the slots that bear on prices. */
  readonly ofResources: ShadowPrices;
  /** How many of those slots a node has. */
  readonly slots: Vector;
  /** Of one pod, in USD per hour. */
  ofPod(shape: PodShape): number;
}

/** Prices are worked out for these many crowds at most: the others share those of the likes of them. */
const MAX_PRICED_GROUPS = 12;

/** Each slot is a row of the linear programme for every crowd: those of few pods add little. */
const MAX_PRICED_SLOTS = 6;

/**
 * Makes prices for what is left of the shapes, as often as they are asked for.
 *
 * @param fineOfferGroups - the stalls of these crowds
 */
export function createPodPricing(
  candidates: readonly HeaviestOptions[],
  eligibilityGroups: readonly EligibilityGroupOf<HeaviestOptions>[],
  fineOfferGroups: readonly OfferGroup[],
  { shapes, slots }: PodShapes,
  problem: Problem,
): () => PodPrices {
  const coarse = createCoarseGroups(candidates, eligibilityGroups, fineOfferGroups, problem);
  const priced = Float64Array.from(slots.slice(0, MAX_PRICED_SLOTS));
  const width = problem.columns.names.length;
  const pricesAlone = new Map(shapes.map((shape) => [shape, computePriceAlone(shape, problem)]));
  const pods = shapes.reduce((sum, { count }) => sum + count, 0);
  const scarcityFactors = isSmallBatch(pods) ? [] : computeScarcityFactors(eligibilityGroups);
  return () => {
    const totals = sumDemand(shapes, coarse, width, priced.length);
    const coarsePrices = computeShadowPrices({ totals, slots: priced }, coarse.offerGroups, []);
    const ofResources = coarse.of.map(
      (eligibilityGroup) => coarsePrices[eligibilityGroup] ?? new Float64Array(),
    );
    return {
      ofResources,
      slots: priced,
      ofPod(shape) {
        const price = ofResources[shape.eligibilityGroup] ?? new Float64Array();
        const slotUsd = shape.slot < 0 ? 0 : at(price, width + shape.slot);
        const usd = Math.max(
          computeValue(price, shape.request) + slotUsd,
          pricesAlone.get(shape) ?? 0,
        );
        return usd * (scarcityFactors[shape.eligibilityGroup] ?? 1);
      },
    };
  };
}

/** Few enough crowds to work out prices for, and their stalls. */
interface CoarseGroups {
  readonly count: number;
  /** Which of these each finer crowd is part of. */
  readonly of: readonly number[];
  readonly offerGroups: readonly OfferGroup[];
}

function createCoarseGroups(
  candidates: readonly HeaviestOptions[],
  eligibilityGroups: readonly EligibilityGroupOf<HeaviestOptions>[],
  fineOfferGroups: readonly OfferGroup[],
  problem: Problem,
): CoarseGroups {
  if (eligibilityGroups.length <= MAX_PRICED_GROUPS) {
    return {
      count: eligibilityGroups.length,
      of: [...eligibilityGroups.keys()],
      offerGroups: fineOfferGroups,
    };
  }
  const coarse = groupByEligibility(
    candidates,
    ({ options }) => options,
    problem,
    MAX_PRICED_GROUPS,
  );
  const coarseOf = new Map(
    coarse.flatMap(({ members }, eligibilityGroup) =>
      members.map((one) => [one, eligibilityGroup]),
    ),
  );
  return {
    count: coarse.length,
    of: eligibilityGroups.map(({ members: [first] }) => (first && coarseOf.get(first)) ?? 0),
    offerGroups: listOfferGroups(coarse, problem, problem.perNodeUsd),
  };
}

/** What is left of each rough crowd's pods, in resources and in slots. */
function sumDemand(
  shapes: readonly PodShape[],
  coarse: CoarseGroups,
  width: number,
  slots: number,
): readonly Vector[] {
  const totals = Array.from({ length: coarse.count }, () => new Float64Array(width + slots));
  for (const { eligibilityGroup, request, slot, count } of shapes) {
    const total = totals[coarse.of[eligibilityGroup] ?? 0];
    if (!total) continue;
    addTimes(total, request, count);
    if (slot >= 0 && slot < slots) total[width + slot] = at(total, width + slot) + count;
  }
  return totals;
}

/**
 * By crowd, how much more its pods are worth for having fewer places to go. Those who could go
 * anywhere are to fill what these leave: spent first, they would leave these among their own.
 */
function computeScarcityFactors(eligibilityGroups: readonly EligibilityGroup[]): number[] {
  const places = eligibilityGroups.map(countPlaces);
  const most = Math.max(...places);
  return places.map((count) => 1 + MAX_SCARCITY_BONUS * (1 - count / most));
}

/** Found by trial: from 0.4 to 0.7 mixed batches become 2 to 5 % cheaper than without. */
const MAX_SCARCITY_BONUS = 0.55;

/** In how many zones and ways of buying the crowd may have nodes, pool by pool. */
const countPlaces = ({ accesses }: EligibilityGroup): number =>
  accesses.reduce(
    (sum, { where }) => sum + countBits(where.zones) * countBits(where.capacityTypes),
    0,
  );

function countBits(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** A pod that takes a node's place for its like is worth that node: whole nodes tell, not parts. */
function computePriceAlone({ members: [first], slot }: PodShape, problem: Problem): number {
  if (!first || slot < 0) return 0;
  return Math.min(
    ...first.options.map((option) => computeFairPrice(first.podGroup, option, problem)),
  );
}
