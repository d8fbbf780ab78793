import { ownValue } from '../../model/own-value.ts';
import { findTypesHolding } from '../assignment/pod-groups.ts';
import { addBit, type Bitset, createBitset, intersection, without } from '../data-structures/bitset.ts';
import { at } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import { findUnmetMinValues } from '../instance-types/min-values.ts';
import { countSpotOfferings, listTypesByPrice, MIN_SPOT_OFFERINGS } from '../instance-types/offered-types.ts';
import { SPOT } from '../instance-types/offering-index.ts';
import { findCheapestType, type NewNode } from '../packing/new-nodes/new-node.ts';

/**
 * Adds more expensive types that hold the node's pods but not all of its spare capacity, until
 * enough spot offerings are open. The cheapest type, which the plan's price rests on, stays the
 * same.
 */
export function widenSpotChoice(newNode: NewNode, problem: Problem): NewNode {
  const hasSpare = newNode.spareRoom.some((room) => room > 0);
  const isSpotAllowed = (newNode.where.capacityTypes & SPOT) !== 0;
  if (!hasSpare || !isSpotAllowed || countSpotOfferings(newNode, problem) >= MIN_SPOT_OFFERINGS) return newNode;
  const cheapestUsd = findCheapestType(newNode, problem).hourlyUsd;
  const types = newNode.types.slice();
  const widened = { ...newNode, types };
  for (const type of listTypesByPrice({ types: findTypesForPods(newNode, problem), where: newNode.where }, problem)) {
    if (countSpotOfferings(widened, problem) >= MIN_SPOT_OFFERINGS) break;
    const isMoreExpensive = problem.offerings.cheapestUsd(type, newNode.where) >= cheapestUsd;
    if (isMoreExpensive && isWithinCharge(newNode, type, problem)) addBit(types, type);
  }
  return widened;
}

/** Finds the types that every pod of the node accepts and that hold all of them. */
function findTypesForPods({ template, podCounts, used }: NewNode, problem: Problem): Bitset {
  let types = template.types;
  for (const { cls, options } of podCounts.keys()) {
    // This function does not know which types have devices for the pod.
    if (cls.spec.deviceClaims) return problem.typeIndex.none;
    const option = options.find((one) => one.template === template);
    const holding = findTypesHolding(template.daemons, used, problem, cls.spec);
    types = intersection(types, intersection(option?.types ?? problem.typeIndex.none, holding));
  }
  return problem.reservations ? without(types, problem.reservations.types) : types;
}

/** True if the NodePool limits that were charged for the node also cover the type. */
const isWithinCharge = ({ charged }: NewNode, type: number, { typeIndex }: Problem): boolean =>
  charged.every((amount) => amount === 0) ||
  charged.every((amount, column) => at(typeIndex.capacity[type] ?? charged, column) <= amount);

/**
 * Maximum number of instance types that a NodeClaim lists.
 *
 * @see Karpenter, MaxInstanceTypes
 */
const MAX_TYPES = 600;

/**
 * Lists the types of a claim, cheapest first, at most `maxTypes`. More expensive types are kept if
 * minValues needs a value that no cheaper type has; Karpenter gives up such claims.
 *
 * @param ranked - type numbers, cheapest first
 */
export function truncateTypes(
  newNode: NewNode,
  ranked: readonly number[],
  problem: Problem,
  maxTypes: number = MAX_TYPES,
): readonly number[] {
  const cheapest = ranked.slice(0, maxTypes);
  if (cheapest.length === ranked.length || meetsMinValues(newNode, cheapest, problem)) return cheapest;

  const selected = new Set<number>();
  for (const { key, count } of newNode.minValues) {
    for (const type of listCheapestPerValue(ranked, key, problem).slice(0, count)) selected.add(type);
  }
  for (const type of ranked) if (selected.size < maxTypes) selected.add(type);
  return ranked.filter((type) => selected.has(type));
}

const meetsMinValues = ({ template, minValues }: NewNode, types: readonly number[], problem: Problem) =>
  !findUnmetMinValues(template, createBitset(types, problem.typeIndex.types.length), problem, minValues);

/** Lists the cheapest type for each value of the key. */
function listCheapestPerValue(ranked: readonly number[], key: string, { typeIndex }: Problem): number[] {
  const cheapestByValue = new Map<string, number>();
  for (const type of ranked) {
    const value = ownValue(typeIndex.types[type]?.labels, key);
    if (value !== undefined && !cheapestByValue.has(value)) cheapestByValue.set(value, type);
  }
  return [...cheapestByValue.values()];
}
