import { cheapestType, type Draft } from '../packing/new-nodes/packing-state.ts';
import { typesHolding } from '../assignment/pod-groups.ts';
import type { Problem } from '../input/problem.ts';
import { at } from '../data-structures/resource-vectors.ts';
import { addBit, type Bitset, bitsetOf, hasBit, intersection, without } from '../data-structures/bitset.ts';
import { SPOT } from './offering-index.ts';
import { unmetMinValues } from './min-values.ts';

/**
 * The spot offerings that a claim keeps open where so many suit it: with few to choose from, EC2
 * takes what it gives back soon.
 *
 * @see Karpenter, which replaces spot by spot only with so many types to choose from
 */
export const SPOT_OFFERINGS = 15;

type Choice = Pick<Draft, 'types' | 'where'>;

/** How many spot offerings are open; 0 for what may not be spot. */
export const spotOfferings = ({ types, where }: Choice, { offerings }: Problem): number =>
  (where.capacityTypes & SPOT) === 0
    ? 0
    : offerings.count(types, { ...where, capacityTypes: SPOT }, true);

/** Numbers of the types that can be had, cheapest first. */
export const typesByPrice = ({ types, where }: Choice, { offerings }: Problem): readonly number[] =>
  offerings.byPrice(where).filter((type) => hasBit(types, type));

/**
 * The draft with types that hold its pods but not all the room kept beside them, dearer ones only:
 * enough for a choice of spot offerings. The cheapest, which the plan counts on, stays the same.
 */
export function withSpotChoice(draft: Draft, problem: Problem): Draft {
  const hasSpare = draft.spare.some((room) => room > 0);
  const maySpot = (draft.where.capacityTypes & SPOT) !== 0;
  if (!hasSpare || !maySpot || spotOfferings(draft, problem) >= SPOT_OFFERINGS) return draft;
  const leastUsd = cheapestType(draft, problem).hourlyUsd;
  const types = draft.types.slice();
  const wider = { ...draft, types };
  for (const type of typesByPrice(
    { types: typesForPods(draft, problem), where: draft.where },
    problem,
  )) {
    if (spotOfferings(wider, problem) >= SPOT_OFFERINGS) break;
    const isDearer = problem.offerings.cheapestUsd(type, draft.where) >= leastUsd;
    if (isDearer && isCharged(draft, type, problem)) addBit(types, type);
  }
  return wider;
}

/** Types that every pod of the draft may be on, and that hold all of them. */
function typesForPods({ template, contents, used }: Draft, problem: Problem): Bitset {
  let types = template.types;
  for (const { cls, options } of contents.keys()) {
    // Which types have devices for it is not known here.
    if (cls.spec.deviceClaims) return problem.index.none;
    const option = options.find((one) => one.template === template);
    const holding = typesHolding(template.daemons, used, problem, cls.spec);
    types = intersection(types, intersection(option?.types ?? problem.index.none, holding));
  }
  return problem.reservations ? without(types, problem.reservations.types) : types;
}

/** Whether the limits that the draft was charged with allow for the type as well. */
const isCharged = ({ charged }: Draft, type: number, { index }: Problem): boolean =>
  charged.every((amount) => amount === 0) ||
  charged.every((amount, column) => at(index.capacity[type] ?? charged, column) <= amount);

/** The most instance types that a NodeClaim lists. @see Karpenter, MaxInstanceTypes */
const MAX_TYPES = 600;

/**
 * The types that a claim lists, cheapest first. Where there are too many, dear ones stay that have
 * values which `minValues` needs and no cheaper type has: Karpenter gives such claims up.
 *
 * @param ranked - numbers of types, cheapest first
 */
export function listedTypes(
  draft: Draft,
  ranked: readonly number[],
  problem: Problem,
  most: number = MAX_TYPES,
): readonly number[] {
  const cheapest = ranked.slice(0, most);
  if (cheapest.length === ranked.length || holds(draft, cheapest, problem)) return cheapest;

  const kept = new Set<number>();
  for (const { key, count } of draft.minValues) {
    for (const type of firstOfEachValue(ranked, key, problem).slice(0, count)) kept.add(type);
  }
  for (const type of ranked) if (kept.size < most) kept.add(type);
  return ranked.filter((type) => kept.has(type));
}

const holds = ({ template, minValues }: Draft, types: readonly number[], problem: Problem) =>
  !unmetMinValues(template, bitsetOf(types, problem.index.types.length), problem, minValues);

/** The cheapest type of each value of the key. */
function firstOfEachValue(ranked: readonly number[], key: string, { index }: Problem): number[] {
  const first = new Map<string, number>();
  for (const type of ranked) {
    const value = index.types[type]?.labels[key];
    if (value !== undefined && !first.has(value)) first.set(value, type);
  }
  return [...first.values()];
}
