import {
  addBit,
  type Bitset,
  createEmptyBitset,
  forEachBit,
  intersection,
  isEmptyBitset,
  listBits,
} from '../../data-structures/bitset.ts';
import type { Problem } from '../../input/problem.ts';
import { findUnmetMinValues } from '../../instance-types/min-values.ts';
import { type OfferingScope, ON_DEMAND, SPOT } from '../../instance-types/offering-index.ts';
import type { NewNode } from './new-node.ts';

/** Bit of `OfferingScope.capacityTypes`. */
const RESERVED = 0b001;
/** With fewer cheaper spot types, the node would soon be replaced again. */
export const SPOT_TYPES_NEEDED = 15;

/** A node that a new node would replace. */
export interface RemovedNode {
  readonly name: string;
  readonly instanceType?: string;
  readonly isSpot: boolean;
  readonly hourlyUsd: number;
}

export const allowsSpot = ({ where }: { readonly where: OfferingScope }): boolean => (where.capacityTypes & SPOT) !== 0;

/**
 * Restricts the new node to types that cost less than the removed nodes wherever they are launched.
 * If both spot and on-demand are possible, only spot remains: an expensive on-demand instance must
 * not replace a failed spot launch.
 *
 * @param maxLaunchUsd - the price that the types stay below, if it is less than that of the nodes
 */
export function restrictToCheaperTypes(
  removed: readonly RemovedNode[],
  newNode: NewNode,
  problem: Problem,
  maxLaunchUsd = Infinity,
): NewNode | undefined {
  const maxUsd = Math.min(sumUsd(removed), findKeptUsd(removed, newNode, problem), maxLaunchUsd);
  const types = listTypesBelow(maxUsd, newNode, problem);
  const spot = toSpot(newNode.where);
  const asSpot = intersection(types, problem.offerings.offered(spot));
  const cheaperSubset = isEmptyBitset(asSpot) ? { types, where: newNode.where } : { types: asSpot, where: spot };
  return ifMinValuesHold({ ...newNode, ...cheaperSubset }, problem);
}

export type SpotForSpot =
  | { readonly outcome: 'replaced'; readonly newNode: NewNode }
  | { readonly outcome: 'none-cheaper' }
  | { readonly outcome: 'too-few'; readonly replacement: number };

/**
 * Restricts the new node in the same way if spot replaces spot. A single node is replaced only if
 * there are many cheaper types, and only by the cheapest of them: otherwise it would be replaced
 * step by step down the price list.
 */
export function restrictToCheaperSpot(
  removed: readonly RemovedNode[],
  newNode: NewNode,
  problem: Problem,
): SpotForSpot {
  const spotNode = { ...newNode, where: toSpot(newNode.where) };
  const maxUsd = Math.min(sumUsd(removed), findKeptUsd(removed, spotNode, problem));
  const cheaper = ifMinValuesHold({ ...spotNode, types: listTypesBelow(maxUsd, spotNode, problem) }, problem);
  if (!cheaper) return { outcome: 'none-cheaper' };
  if (removed.length > 1) return { outcome: 'replaced', newNode: cheaper };
  const ranked = listBits(cheaper.types).toSorted(byPrice(cheaper, problem));
  if (ranked.length < SPOT_TYPES_NEEDED) return { outcome: 'too-few', replacement: ranked.length };
  return {
    outcome: 'replaced',
    newNode: { ...cheaper, types: takeFewest(ranked, cheaper, problem) },
  };
}

const sumUsd = (removed: readonly RemovedNode[]): number =>
  removed.reduce((total, { hourlyUsd }) => total + hourlyUsd, 0);

const toSpot = (where: OfferingScope): OfferingScope => ({
  ...where,
  capacityTypes: where.capacityTypes & SPOT,
});

const byPrice =
  ({ where }: NewNode, { offerings }: Problem) =>
  (a: number, b: number): number =>
    offerings.cheapestUsd(a, where) - offerings.cheapestUsd(b, where) || a - b;

/** Takes the cheapest types of a ranked list, and more if minValues requires more. */
function takeFewest(ranked: readonly number[], newNode: NewNode, problem: Problem): Bitset {
  const types = createEmptyBitset(problem.typeIndex.types.length);
  for (const [position, type] of ranked.entries()) {
    const isEnough = position >= SPOT_TYPES_NEEDED && !findUnmetMinValues(newNode.template, types, problem);
    if (isEnough) break;
    addBit(types, type);
  }
  return types;
}

/** A cheaper node must keep the pool's minValues, whatever the policy on minValues is. */
function ifMinValuesHold(newNode: NewNode, problem: Problem): NewNode | undefined {
  if (isEmptyBitset(newNode.types)) return undefined;
  return findUnmetMinValues(newNode.template, newNode.types, problem) ? undefined : newNode;
}

function listTypesBelow(hourlyUsd: number, newNode: NewNode, problem: Problem): Bitset {
  const types = createEmptyBitset(problem.typeIndex.types.length);
  forEachBit(newNode.types, (type) => {
    if (findMaxLaunchUsd(type, newNode.where, problem) < hourlyUsd) addBit(types, type);
  });
  return types;
}

/**
 * If several nodes are removed, one of them could be kept instead: a replacement of the same type
 * must be cheaper than that node.
 */
function findKeptUsd(removed: readonly RemovedNode[], newNode: NewNode, { typeIndex }: Problem): number {
  if (removed.length < 2) return Infinity;
  const names = new Set(listBits(newNode.types).map((type) => typeIndex.types[type]?.name));
  const sameType = removed.filter(({ instanceType }) => names.has(instanceType));
  return Math.min(...sameType.map(({ hourlyUsd }) => hourlyUsd), Infinity);
}

/** The highest price of a launch: the EC2 fleet chooses the zone and capacity type. */
function findMaxLaunchUsd(type: number, where: OfferingScope, { offerings }: Problem): number {
  for (const capacityType of [RESERVED, SPOT, ON_DEMAND]) {
    const part = { ...where, capacityTypes: where.capacityTypes & capacityType };
    const usd = part.capacityTypes === 0 ? Infinity : offerings.mostExpensiveUsd(type, part);
    if (usd < Infinity) return usd;
  }
  return Infinity;
}
