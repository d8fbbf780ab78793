import { typesHolding } from '../assignment/pod-groups.ts';
import {
  addBit,
  type Bitset,
  bitsetOf,
  hasBit,
  intersection,
  without,
} from '../data-structures/bitset.ts';
import { at } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import { findUnmetMinValues } from '../instance-types/min-values.ts';
import { SPOT_OFFERINGS, spotOfferings, typesByPrice } from '../instance-types/offered-types.ts';
import { SPOT } from '../instance-types/offering-index.ts';
import { cheapestType, type Draft } from '../packing/new-nodes/packing-state.ts';

/**
 * The draft with types that hold its pods but not all the room kept beside them, dearer ones only:
 * enough for a choice of spot offerings. The cheapest, which the plan counts on, stays the same.
 */
export function widenSpotChoice(draft: Draft, problem: Problem): Draft {
  const hasSpare = draft.spare.some((room) => room > 0);
  const isSpotAllowed = (draft.where.capacityTypes & SPOT) !== 0;
  if (!hasSpare || !isSpotAllowed || spotOfferings(draft, problem) >= SPOT_OFFERINGS) return draft;
  const cheapestUsd = cheapestType(draft, problem).hourlyUsd;
  const types = draft.types.slice();
  const widened = { ...draft, types };
  for (const type of typesByPrice(
    { types: findTypesForPods(draft, problem), where: draft.where },
    problem,
  )) {
    if (spotOfferings(widened, problem) >= SPOT_OFFERINGS) break;
    const isDearer = problem.offerings.cheapestUsd(type, draft.where) >= cheapestUsd;
    if (isDearer && isWithinCharge(draft, type, problem)) addBit(types, type);
  }
  return widened;
}

/** Types that every pod of the draft may be on, and that hold all of them. */
function findTypesForPods({ template, contents, used }: Draft, problem: Problem): Bitset {
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
const isWithinCharge = ({ charged }: Draft, type: number, { index }: Problem): boolean =>
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
export function truncateTypes(
  draft: Draft,
  ranked: readonly number[],
  problem: Problem,
  maxTypes: number = MAX_TYPES,
): readonly number[] {
  const cheapest = ranked.slice(0, maxTypes);
  if (cheapest.length === ranked.length || meetsMinValues(draft, cheapest, problem)) return cheapest;

  const selected = new Set<number>();
  for (const { key, count } of draft.minValues) {
    for (const type of listCheapestPerValue(ranked, key, problem).slice(0, count)) selected.add(type);
  }
  for (const type of ranked) if (selected.size < maxTypes) selected.add(type);
  return ranked.filter((type) => selected.has(type));
}

const meetsMinValues = ({ template, minValues }: Draft, types: readonly number[], problem: Problem) =>
  !findUnmetMinValues(template, bitsetOf(types, problem.index.types.length), problem, minValues);

/** The cheapest type of each value of the key. */
function listCheapestPerValue(ranked: readonly number[], key: string, { index }: Problem): number[] {
  const cheapestByValue = new Map<string, number>();
  for (const type of ranked) {
    const value = index.types[type]?.labels[key];
    if (value !== undefined && !cheapestByValue.has(value)) cheapestByValue.set(value, type);
  }
  return [...cheapestByValue.values()];
}
