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
import { type NewNode } from './new-node.ts';

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
export function restrictToCheaperTypes(
  removed: readonly RemovedNode[],
  newNode: NewNode,
  problem: Problem,
): NewNode | undefined {
  const maxUsd = Math.min(sumUsd(removed), findKeptUsd(removed, newNode, problem));
  const types = listTypesBelow(maxUsd, newNode, problem);
  const spot = toSpot(newNode.where);
  const asSpot = intersection(types, problem.offerings.offered(spot));
  const left = isEmptyBitset(asSpot)
    ? { types, where: newNode.where }
    : { types: asSpot, where: spot };
  return ifMinValuesHold({ ...newNode, ...left }, problem);
}

export type SpotForSpot =
  | { readonly outcome: 'replaced'; readonly newNode: NewNode }
  | { readonly outcome: 'none-cheaper' }
  | { readonly outcome: 'too-few'; readonly found: number };

/**
 * The same where spot replaces spot. One node alone is only replaced if there are many cheaper types,
 * and by the cheapest of them: otherwise it would go down the price list a step at a time.
 */
export function restrictToCheaperSpot(
  removed: readonly RemovedNode[],
  newNode: NewNode,
  problem: Problem,
): SpotForSpot {
  const spotNode = { ...newNode, where: toSpot(newNode.where) };
  const maxUsd = Math.min(sumUsd(removed), findKeptUsd(removed, spotNode, problem));
  const cheaper = ifMinValuesHold(
    { ...spotNode, types: listTypesBelow(maxUsd, spotNode, problem) },
    problem,
  );
  if (!cheaper) return { outcome: 'none-cheaper' };
  if (removed.length > 1) return { outcome: 'replaced', newNode: cheaper };
  const ranked = bitsOf(cheaper.types).toSorted(byPrice(cheaper, problem));
  if (ranked.length < SPOT_TYPES_NEEDED) return { outcome: 'too-few', found: ranked.length };
  return {
    outcome: 'replaced',
    newNode: { ...cheaper, types: takeFewest(ranked, cheaper, problem) },
  };
}

export const sumUsd = (removed: readonly RemovedNode[]): number =>
  removed.reduce((total, { hourlyUsd }) => total + hourlyUsd, 0);

const toSpot = (where: OfferingScope): OfferingScope => ({
  ...where,
  capacityTypes: where.capacityTypes & SPOT,
});

const byPrice =
  ({ where }: NewNode, { offerings }: Problem) =>
  (a: number, b: number): number =>
    offerings.cheapestUsd(a, where) - offerings.cheapestUsd(b, where) || a - b;

/** The cheapest of a ranked list, with more where countMinValues ask for more. */
function takeFewest(ranked: readonly number[], newNode: NewNode, problem: Problem): Bitset {
  const types = emptyBitset(problem.typeIndex.types.length);
  for (const [position, type] of ranked.entries()) {
    const isEnough =
      position >= SPOT_TYPES_NEEDED && !findUnmetMinValues(newNode.template, types, problem);
    if (isEnough) break;
    addBit(types, type);
  }
  return types;
}

/** Saving money is no ground to give up what the pool asks for, whatever its policy on countMinValues. */
function ifMinValuesHold(newNode: NewNode, problem: Problem): NewNode | undefined {
  if (isEmptyBitset(newNode.types)) return undefined;
  return findUnmetMinValues(newNode.template, newNode.types, problem) ? undefined : newNode;
}

function listTypesBelow(hourlyUsd: number, newNode: NewNode, problem: Problem): Bitset {
  const types = emptyBitset(problem.typeIndex.types.length);
  forEachBit(newNode.types, (type) => {
    if (findMaxLaunchUsd(type, newNode.where, problem) < hourlyUsd) addBit(types, type);
  });
  return types;
}

/**
 * Of several nodes one could be kept and only the others removed: a replacement of a kind that is
 * among them has to be cheaper than that one.
 */
function findKeptUsd(
  removed: readonly RemovedNode[],
  newNode: NewNode,
  { typeIndex }: Problem,
): number {
  if (removed.length < 2) return Infinity;
  const names = new Set(bitsOf(newNode.types).map((type) => typeIndex.types[type]?.name));
  const kept = removed.filter(({ instanceType }) => names.has(instanceType));
  return Math.min(...kept.map(({ hourlyUsd }) => hourlyUsd), Infinity);
}

/** What a launch of the type costs at worst: the fleet chooses zone and pool, not we. */
function findMaxLaunchUsd(type: number, where: OfferingScope, { offerings }: Problem): number {
  for (const capacityType of [RESERVED, SPOT, ON_DEMAND]) {
    const part = { ...where, capacityTypes: where.capacityTypes & capacityType };
    const usd = part.capacityTypes === 0 ? Infinity : offerings.mostExpensiveUsd(type, part);
    if (usd < Infinity) return usd;
  }
  return Infinity;
}
