import { computeFairPrice } from '../../assignment/fair-price.ts';
import { isSmallBatch } from '../../assignment/pod-groups.ts';
import { addTimes, at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import type { HeaviestOptions } from '../constructions/by-weight.ts';
import type { PodShape, PodShapes } from '../constructions/pod-shapes.ts';
import { type EligibilityGroupOf, groupByEligibility } from './eligibility-groups.ts';
import { type EligibilityGroup, listOfferGroups, type OfferGroup } from './offer-groups.ts';
import { computeShadowPrices, computeValue, type ShadowPrices } from './shadow-prices.ts';

/** The value of pods for the node that they are placed on. */
export interface PodPrices {
  /** By eligibility group; the columns of resources are followed by those of the priced slots. */
  readonly ofResources: ShadowPrices;
  /** The number of these slots on a node. */
  readonly slots: Vector;
  /** The value of one pod, in USD per hour. */
  ofPod(shape: PodShape): number;
}

/** Maximum number of eligibility groups with prices of their own; more groups are merged. */
const MAX_PRICED_GROUPS = 12;

/**
 * Each slot is a row of the linear programme for every eligibility group; slots with few pods add
 * little.
 */
const MAX_PRICED_SLOTS = 6;

/**
 * Creates a function that computes prices for the remaining pods of the shapes.
 *
 * @param fineOfferGroups - the offer groups of these eligibility groups
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
    const coarsePrices = computeShadowPrices({ totals, slots: priced }, coarse.offerGroups, [], problem.work);
    const ofResources = coarse.of.map((eligibilityGroup) => coarsePrices[eligibilityGroup] ?? new Float64Array());
    return {
      ofResources,
      slots: priced,
      ofPod(shape) {
        const price = ofResources[shape.eligibilityGroup] ?? new Float64Array();
        const slotUsd = shape.slot < 0 ? 0 : at(price, width + shape.slot);
        const usd = Math.max(computeValue(price, shape.request) + slotUsd, pricesAlone.get(shape) ?? 0);
        return usd * (scarcityFactors[shape.eligibilityGroup] ?? 1);
      },
    };
  };
}

/** Merged eligibility groups, few enough to compute prices for, with their offer groups. */
interface CoarseGroups {
  readonly count: number;
  /** The position of the merged group of each eligibility group. */
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
  const coarse = groupByEligibility(candidates, ({ options }) => options, problem, MAX_PRICED_GROUPS);
  const coarseOf = new Map(
    coarse.flatMap(({ members }, eligibilityGroup) => members.map((one) => [one, eligibilityGroup])),
  );
  return {
    count: coarse.length,
    of: eligibilityGroups.map(({ members: [first] }) => (first && coarseOf.get(first)) ?? 0),
    offerGroups: listOfferGroups(coarse, problem, problem.nodeCosts),
  };
}

/** Sums the remaining requests and slots of each merged group. */
function sumDemand(shapes: readonly PodShape[], coarse: CoarseGroups, width: number, slots: number): readonly Vector[] {
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
 * Computes a factor of the pods' value by eligibility group: pods with fewer options are placed
 * first. Pods that may use any node fill the rest; placed first, they would leave the others on
 * nodes of their own.
 */
function computeScarcityFactors(eligibilityGroups: readonly EligibilityGroup[]): number[] {
  const scopes = eligibilityGroups.map(countPlaces);
  const maxUsd = Math.max(...scopes);
  return scopes.map((count) => 1 + MAX_SCARCITY_BONUS * (1 - count / maxUsd));
}

/** Found by experiment: with 0.4 to 0.7, mixed batches become 2 to 5 % cheaper than without. */
const MAX_SCARCITY_BONUS = 0.55;

/** Counts the zones and capacity types that the eligibility group may use, pool by pool. */
const countPlaces = ({ accesses }: EligibilityGroup): number =>
  accesses.reduce((sum, { where }) => sum + countBits(where.zones) * countBits(where.capacityTypes), 0);

function countBits(word: number): number {
  let count = 0;
  for (let remainingBits = word; remainingBits !== 0; remainingBits &= remainingBits - 1) count += 1;
  return count;
}

/** A pod that keeps other pods of its kind off a node has the value of the whole node. */
function computePriceAlone({ members: [first], slot }: PodShape, problem: Problem): number {
  if (!first || slot < 0) return 0;
  return Math.min(...first.options.map((option) => computeFairPrice(first.podGroup, option, problem)));
}
