import { findTypesHolding } from '../../assignment/pod-groups.ts';
import { type Bitset, hasBit, intersection, isEmptyBitset, listBits } from '../../data-structures/bitset.ts';
import { at, sum, type Vector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import { findUnmetMinValues } from '../../instance-types/min-values.ts';
import { findCheapestType, type NewNode } from '../../packing/new-nodes/new-node.ts';
import type { PackingState } from '../../packing/new-nodes/packing-state.ts';

/**
 * Lists copies of a new node with other cheapest types that hold its pods, smaller and larger ones.
 * Each type is cheaper than all types of at least its size.
 *
 * @param maxIncreaseUsd - maximum price increase, in USD per hour; 0 lists only types that cost no
 *   more
 */
export function listOtherSizes(
  { newNodes, allowances }: PackingState,
  number: number,
  maxIncreaseUsd: number,
  problem: Problem,
): NewNode[] {
  const newNode = newNodes[number];
  if (!newNode) return [];
  const current = findCheapestType(newNode, problem);
  // The limits were computed for the node's current types.
  const isLimited = allowances.has(newNode.template.pool.name);
  const types = isLimited ? newNode.types : findTypesFor(newNode, NOTHING, problem);
  return findParetoTypes(newNode, types, current.hourlyUsd + maxIncreaseUsd, problem).flatMap((type) => {
    const sized = type === current.type ? undefined : withRoomOfType(newNode, type, types, problem);
    return sized ?? [];
  });
}

const NOTHING: Vector = new Float64Array();

/** Finds the types for which no cheaper type has as much CPU and memory, sorted by price. */
function findParetoTypes(
  { where }: NewNode,
  types: Bitset,
  maxUsd: number,
  { typeIndex, offerings }: Problem,
): number[] {
  const prices = offerings.pricesIn(where);
  const affordable = listBits(types)
    .filter((type) => at(prices, type) <= maxUsd)
    .toSorted((a, b) => at(prices, a) - at(prices, b));
  const pareto: number[] = [];
  const sizeOf = (type: number): Vector => typeIndex.allocatable[type] ?? NOTHING;
  for (const type of affordable) {
    const isBeaten = pareto.some((other) =>
      [CPU_COLUMN, MEMORY_COLUMN].every((column) => at(sizeOf(other), column) >= at(sizeOf(type), column)),
    );
    if (!isBeaten) pareto.push(type);
  }
  return pareto;
}

const [CPU_COLUMN, MEMORY_COLUMN] = [0, 1];

/**
 * Keeps the types that leave at least as much room as `type` does, and marks that room as spare.
 */
function withRoomOfType(newNode: NewNode, type: number, types: Bitset, problem: Problem): NewNode | undefined {
  const { template, used } = newNode;
  const size = problem.typeIndex.allocatable[type] ?? NOTHING;
  const daemons = template.daemons.find((group) => hasBit(group.types, type));
  const usedWithDaemons = sum(used, daemons?.overhead ?? NOTHING);
  const spare = used.map((amount, column) =>
    amount > 0 ? Math.max(0, at(size, column) - at(usedWithDaemons, column)) : 0,
  );
  const roomyTypes = intersection(types, findTypesHolding(template.daemons, sum(used, spare), problem));
  if (isEmptyBitset(roomyTypes)) return undefined;
  if (findUnmetMinValues(template, roomyTypes, problem, newNode.minValues)) return undefined;
  return { ...newNode, types: roomyTypes, spareRoom: spare };
}

/** Finds all types that hold the pods of the node and some spare room. */
export function findTypesFor({ template, podCounts, used }: NewNode, spare: Vector, problem: Problem): Bitset {
  let types = findTypesHolding(template.daemons, sum(used, spare), problem);
  for (const { options, cls } of podCounts.keys()) {
    const own = options.find((option) => option.template === template);
    types = intersection(types, own?.types ?? problem.typeIndex.none);
    if (cls.spec.hostPorts.length > 0) {
      types = intersection(types, findTypesHolding(template.daemons, used, problem, cls.spec));
    }
  }
  return types;
}
