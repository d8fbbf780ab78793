import { addBit, type Bitset, createBitset, createEmptyBitset } from '../../data-structures/bitset.ts';
import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import {
  findMaxCapacities,
  listTypesWithinAllowance,
  type PoolAllowance,
  recharge,
  restoreRemaining,
} from '../../input/pool-limits.ts';
import type { Problem } from '../../input/problem.ts';
import { findUnmetMinValues } from '../../instance-types/min-values.ts';
import { countSpotOfferings, listTypesByPrice, MIN_SPOT_OFFERINGS } from '../../instance-types/offered-types.ts';
import { findCheapestType, type NewNode, recordCharge, replaceCharge, replaceTypes } from './new-node.ts';
import type { PackingState } from './packing-state.ts';

/** Spot offerings that each node gets per round, before the first nodes get all that is left. */
const ROUNDS = [MIN_SPOT_OFFERINGS / 3, (2 * MIN_SPOT_OFFERINGS) / 3, MIN_SPOT_OFFERINGS];

interface LimitedNode {
  readonly newNode: NewNode;
  readonly allowance: PoolAllowance;
  readonly before: Pick<NewNode, 'types' | 'charged'>;
}

/**
 * Removes types with which the new nodes of a limited pool could together exceed its limits,
 * whichever types are launched. The first nodes get what is left, after the other nodes have enough
 * types for a choice of spot offerings.
 */
export function resolveLimits({ problem, newNodes, allowances }: PackingState): void {
  const limitedNodes = newNodes.flatMap((newNode): LimitedNode[] => {
    const { template, types, charged } = newNode;
    const allowance = allowances.get(template.pool.name);
    return allowance ? [{ newNode, allowance, before: { types, charged } }] : [];
  });
  const amountsBefore = new Map([...allowances.values()].map((one) => [one, one.remaining.slice()]));
  for (const one of limitedNodes) restrictAndCharge(one, problem);
  if (!limitedNodes.some((one) => hasTooFewSpotOfferings(one, problem))) return;

  for (const [allowance, amounts] of amountsBefore) restoreRemaining(allowance, amounts);
  for (const { newNode, before } of limitedNodes) {
    replaceTypes(newNode, before.types);
    replaceCharge(newNode, before.charged);
  }
  for (const maxOfferings of ROUNDS) for (const one of limitedNodes) chargeForSpotOfferings(one, maxOfferings, problem);
  for (const one of limitedNodes) restrictAndCharge(one, problem);
}

/** True if the node lost spot offerings and now has too few. */
function hasTooFewSpotOfferings({ newNode, before }: LimitedNode, problem: Problem): boolean {
  const now = countSpotOfferings(newNode, problem);
  const then = countSpotOfferings({ where: newNode.where, types: before.types }, problem);
  return now < MIN_SPOT_OFFERINGS && now < then;
}

function restrictAndCharge({ newNode, allowance }: LimitedNode, problem: Problem): void {
  const types = listTypesWithinAllowance(newNode.types, allowance, newNode.charged, problem);
  replaceTypes(newNode, types);
  chargeMaxCapacity(newNode, allowance, newNode.types, problem);
}

/**
 * Charges the cheapest types with `maxOfferings` spot offerings together, as far as the limits
 * allow.
 */
function chargeForSpotOfferings({ newNode, allowance }: LimitedNode, maxOfferings: number, problem: Problem): void {
  const within = listTypesWithinAllowance(newNode.types, allowance, newNode.charged, problem);
  const some = createBitset([], problem.typeIndex.types.length);
  for (const type of listTypesByPrice({ types: within, where: newNode.where }, problem)) {
    if (countSpotOfferings({ types: some, where: newNode.where }, problem) >= maxOfferings) break;
    addBit(some, type);
  }
  chargeMaxCapacity(newNode, allowance, some, problem);
}

/** Charges the most that the node may take of each resource, its present charge included. */
function chargeMaxCapacity(newNode: NewNode, allowance: PoolAllowance, types: Bitset, problem: Problem): void {
  const capacity = findMaxCapacities(types, problem);
  const charged = newNode.charged.map((amount, column) => Math.max(amount, at(capacity, column)));
  recharge(allowance, newNode.charged, charged);
  replaceCharge(newNode, charged);
}

/** Charges the pool's limits with the cheapest type, which a launch prefers. */
export function chargeLimits(newNode: NewNode, allowance: PoolAllowance, problem: Problem): void {
  const capacity =
    newNode.minValues.length > 0
      ? computeReservedCapacity(newNode, problem)
      : (problem.typeIndex.capacity[findCheapestType(newNode, problem).type] ?? NOTHING);
  recharge(allowance, newNode.charged, capacity);
  recordCharge(newNode, capacity);
}

/**
 * The capacity that limits must leave for a node with minValues: that of as many types as minValues
 * requires.
 */
function computeReservedCapacity(
  newNode: Pick<NewNode, 'types' | 'where' | 'template' | 'minValues' | 'used'>,
  problem: Problem,
): Vector {
  const { typeIndex } = problem;
  const cheapestTypes = createEmptyBitset(typeIndex.types.length);
  const capacity = new Float64Array(newNode.used.length);
  for (const type of listTypesByPrice(newNode, problem)) {
    addBit(cheapestTypes, type);
    for (let column = 0; column < capacity.length; column++) {
      capacity[column] = Math.max(at(capacity, column), at(typeIndex.capacity[type] ?? NOTHING, column));
    }
    if (!findUnmetMinValues(newNode.template, cheapestTypes, problem, newNode.minValues)) break;
  }
  return capacity;
}

const NOTHING: Vector = new Float64Array();
