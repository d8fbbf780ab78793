import {
  addBit,
  type Bitset,
  bitsOf,
  emptyBitset,
  forEachBit,
  intersection,
  isEmptyBitset,
} from '../../data-structures/bitset.ts';
import type { Problem } from '../../input/problem.ts';
import { findUnmetMinValues } from '../../instance-types/min-values.ts';
import { type OfferingScope, ON_DEMAND, SPOT } from '../../instance-types/offering-index.ts';
import type { Draft } from './packing-state.ts';

/** Bit of `Where.capacityTypes`. */
const RESERVED = 0b001;
/** With fewer cheaper spot types to choose from, the next move would be soon. */
export const SPOT_TYPES_NEEDED = 15;

/** A node that a new node would replace. */
export interface RemovedNode {
  readonly name: string;
  readonly instanceType?: string;
  readonly isSpot: boolean;
  readonly hourlyUsd: number;
}

export const allowsSpot = ({ where }: { readonly where: OfferingScope }): boolean =>
  (where.capacityTypes & SPOT) !== 0;

/**
 * The draft with only those types that cost less than the removed wherever they are launched. If
 * spot and on-demand are both open, spot it is: when spot fails, dearer on-demand must not take its
 * place.
 */
export function cheaperThan(
  removed: readonly RemovedNode[],
  draft: Draft,
  problem: Problem,
): Draft | undefined {
  const below = Math.min(totalUsd(removed), keptUsd(removed, draft, problem));
  const types = typesBelow(below, draft, problem);
  const spot = spotOnly(draft.where);
  const asSpot = intersection(types, problem.offerings.offered(spot));
  const left = isEmptyBitset(asSpot)
    ? { types, where: draft.where }
    : { types: asSpot, where: spot };
  return valid({ ...draft, ...left }, problem);
}

export type SpotForSpot =
  | { readonly outcome: 'replaced'; readonly draft: Draft }
  | { readonly outcome: 'none-cheaper' }
  | { readonly outcome: 'too-few'; readonly found: number };

/**
 * The same where spot replaces spot. One node alone is only replaced if there are many cheaper types,
 * and by the cheapest of them: otherwise it would go down the price list a step at a time.
 */
export function cheaperSpot(
  removed: readonly RemovedNode[],
  draft: Draft,
  problem: Problem,
): SpotForSpot {
  const pinned = { ...draft, where: spotOnly(draft.where) };
  const below = Math.min(totalUsd(removed), keptUsd(removed, pinned, problem));
  const cheaper = valid({ ...pinned, types: typesBelow(below, pinned, problem) }, problem);
  if (!cheaper) return { outcome: 'none-cheaper' };
  if (removed.length > 1) return { outcome: 'replaced', draft: cheaper };
  const ranked = bitsOf(cheaper.types).toSorted(byPrice(cheaper, problem));
  if (ranked.length < SPOT_TYPES_NEEDED) return { outcome: 'too-few', found: ranked.length };
  return { outcome: 'replaced', draft: { ...cheaper, types: fewest(ranked, cheaper, problem) } };
}

export const totalUsd = (removed: readonly RemovedNode[]): number =>
  removed.reduce((total, { hourlyUsd }) => total + hourlyUsd, 0);

const spotOnly = (where: OfferingScope): OfferingScope => ({
  ...where,
  capacityTypes: where.capacityTypes & SPOT,
});

const byPrice =
  ({ where }: Draft, { offerings }: Problem) =>
  (a: number, b: number): number =>
    offerings.cheapestUsd(a, where) - offerings.cheapestUsd(b, where) || a - b;

/** The cheapest of a ranked list, with more where minValues ask for more. */
function fewest(ranked: readonly number[], draft: Draft, problem: Problem): Bitset {
  const types = emptyBitset(problem.typeIndex.types.length);
  for (const [place, type] of ranked.entries()) {
    const isEnough =
      place >= SPOT_TYPES_NEEDED && !findUnmetMinValues(draft.template, types, problem);
    if (isEnough) break;
    addBit(types, type);
  }
  return types;
}

/** Saving money is no ground to give up what the pool asks for, whatever its policy on minValues. */
function valid(draft: Draft, problem: Problem): Draft | undefined {
  if (isEmptyBitset(draft.types)) return undefined;
  return findUnmetMinValues(draft.template, draft.types, problem) ? undefined : draft;
}

function typesBelow(hourlyUsd: number, draft: Draft, problem: Problem): Bitset {
  const types = emptyBitset(problem.typeIndex.types.length);
  forEachBit(draft.types, (type) => {
    if (worstLaunchUsd(type, draft.where, problem) < hourlyUsd) addBit(types, type);
  });
  return types;
}

/**
 * Of several nodes one could be kept and only the others removed: a replacement of a kind that is
 * among them has to be cheaper than that one.
 */
function keptUsd(removed: readonly RemovedNode[], draft: Draft, { typeIndex }: Problem): number {
  if (removed.length < 2) return Infinity;
  const names = new Set(bitsOf(draft.types).map((type) => typeIndex.types[type]?.name));
  const kept = removed.filter(({ instanceType }) => names.has(instanceType));
  return Math.min(...kept.map(({ hourlyUsd }) => hourlyUsd), Infinity);
}

/** What a launch of the type costs at worst: the fleet chooses zone and pool, not we. */
function worstLaunchUsd(type: number, where: OfferingScope, { offerings }: Problem): number {
  for (const capacityType of [RESERVED, SPOT, ON_DEMAND]) {
    const part = { ...where, capacityTypes: where.capacityTypes & capacityType };
    const usd = part.capacityTypes === 0 ? Infinity : offerings.mostExpensiveUsd(type, part);
    if (usd < Infinity) return usd;
  }
  return Infinity;
}
