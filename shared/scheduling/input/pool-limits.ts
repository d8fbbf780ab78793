import type { NodePool } from '../../model/nodes/node-pool.ts';
import { ownValue } from '../../model/own-value.ts';
import { NODES } from '../../model/resources.ts';
import { type Bitset, forEachBit, removeBit } from '../data-structures/bitset.ts';
import { addTimes, at, type ResourceColumns, type Vector } from '../data-structures/resource-vectors.ts';
import type { PoolUsage } from './pool-usage.ts';
import type { Problem } from './problem.ts';

/** Resources that a pool may still add; Infinity where no limit is set. */
export interface PoolAllowance {
  readonly remaining: Vector;
  readonly nodes: number;
}

/** The same object inside this file, where it may be written. */
interface MutableAllowance extends PoolAllowance {
  nodes: number;
}

/** Charges a node, and its capacity if that is known. */
export function chargeNode(allowance: MutableAllowance, capacity?: Vector): void {
  if (capacity) addTimes(allowance.remaining, capacity, -1);
  allowance.nodes -= 1;
}

export function refundNode(allowance: MutableAllowance, charged: Vector): void {
  allowance.nodes += 1;
  addTimes(allowance.remaining, charged, 1);
}

/** Replaces what a node was charged with. */
export function recharge({ remaining }: PoolAllowance, before: Vector, after: Vector): void {
  for (let column = 0; column < remaining.length; column++) {
    remaining[column] = at(remaining, column) + at(before, column) - at(after, column);
  }
}

export const copyAllowance = ({ remaining, nodes }: PoolAllowance): PoolAllowance => ({
  remaining: remaining.slice(),
  nodes,
});

/** Takes back all charges since `remaining` was copied. */
export function restoreRemaining({ remaining }: PoolAllowance, copy: Vector): void {
  remaining.set(copy);
}

/** Subtracts the usage of the pool from its limits. */
export function createAllowance(pool: NodePool, used: PoolUsage | undefined, columns: ResourceColumns): PoolAllowance {
  const remaining = new Float64Array(columns.names.length).fill(Infinity);
  for (const name in pool.limits) {
    const column = columns.indexOf.get(name);
    if (column === undefined) continue;
    remaining[column] = (ownValue(pool.limits, name) ?? 0) - (used ? at(used.capacity, column) : 0);
  }
  return { remaining, nodes: (pool.limits[NODES] ?? Infinity) - (used?.nodes ?? 0) };
}

/** Creates the allowances of all pools with limits, by pool name. */
export function createAllowances({ nodeTemplates, poolUsage, columns }: Problem): Map<string, PoolAllowance> {
  const limited = nodeTemplates.filter((template) => template.limited);
  return new Map(limited.map(({ pool }) => [pool.name, createAllowance(pool, poolUsage.get(pool.name), columns)]));
}

/** True if `maxNodes` nodes stay within the allowance whatever their types are. */
export const isAmple = (
  { remaining, nodes }: PoolAllowance,
  maxNodes: number,
  { typeIndex: { largest } }: Problem,
): boolean =>
  nodes >= maxNodes &&
  remaining.every((amount, column) => amount === Infinity || amount >= maxNodes * at(largest, column));

/**
 * Lists the types whose capacity the limits still allow; what the node is already charged with is
 * not counted twice.
 */
export function listTypesWithinAllowance(
  types: Bitset,
  { remaining }: PoolAllowance,
  charged: Vector | undefined,
  { typeIndex }: Problem,
): Bitset {
  const allowed = types.slice();
  const freeIn = (column: number): number => at(remaining, column) + (charged ? at(charged, column) : 0);
  // In most pools the largest type fits, or only one resource is scarce.
  const tightColumns = [...remaining.keys()].filter((column) => freeIn(column) < at(typeIndex.largest, column));
  if (tightColumns.length === 0) return allowed;
  forEachBit(types, (type) => {
    const capacity = typeIndex.capacity[type];
    if (!capacity) return;
    for (const column of tightColumns) {
      if (at(capacity, column) > freeIn(column)) {
        removeBit(allowed, type);
        return;
      }
    }
  });
  return allowed;
}

/**
 * The largest capacity of the types by column: the most that a node takes, whichever type it
 * becomes.
 */
export function findMaxCapacities(types: Bitset, { typeIndex, columns }: Problem): Vector {
  const maxCapacity = new Float64Array(columns.names.length);
  forEachBit(types, (type) => {
    const capacity = typeIndex.capacity[type];
    for (let column = 0; capacity && column < maxCapacity.length; column++) {
      maxCapacity[column] = Math.max(at(maxCapacity, column), at(capacity, column));
    }
  });
  return maxCapacity;
}
