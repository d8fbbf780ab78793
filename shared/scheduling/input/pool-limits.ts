import type { NodePool } from '../../model/node-pool.ts';
import { NODES } from '../../model/resources.ts';
import type { Problem } from './problem.ts';
import { type Bitset, forEachBit, removeBit } from '../data-structures/bitset.ts';
import { at, type ResourceColumns, type Vector } from '../data-structures/resource-vectors.ts';
import type { PoolUsage } from '../limits/pool-usage.ts';

/** What a pool may still add; Infinity where nothing limits it. */
export interface Allowance {
  readonly left: Vector;
  nodes: number;
}

/** Limits less what the pool has already. */
export function allowanceOf(
  pool: NodePool,
  used: PoolUsage | undefined,
  columns: ResourceColumns,
): Allowance {
  const left = new Float64Array(columns.names.length).fill(Infinity);
  for (const name in pool.limits) {
    const column = columns.indexOf.get(name);
    if (column === undefined) continue;
    left[column] = (pool.limits[name] ?? 0) - (used ? at(used.capacity, column) : 0);
  }
  return { left, nodes: (pool.limits[NODES] ?? Infinity) - (used?.nodes ?? 0) };
}

/** Of every pool that has limits, by name. */
export function allowancesOf({ templates, usage, columns }: Problem): Map<string, Allowance> {
  const limited = templates.filter((template) => template.limited);
  return new Map(
    limited.map(({ pool }) => [pool.name, allowanceOf(pool, usage.get(pool.name), columns)]),
  );
}

/** Whether so many nodes stay within it whatever their types are. */
export const isAmple = (
  { left, nodes }: Allowance,
  mostNodes: number,
  { index: { largest } }: Problem,
): boolean =>
  nodes >= mostNodes &&
  left.every((amount, column) => amount === Infinity || amount >= mostNodes * at(largest, column));

/** Types whose capacity the limits still allow, what the draft takes already not counted twice. */
export function withinAllowance(
  types: Bitset,
  { left }: Allowance,
  charged: Vector | undefined,
  { index }: Problem,
): Bitset {
  const allowed = types.slice();
  const freeIn = (column: number): number => at(left, column) + (charged ? at(charged, column) : 0);
  // Of most pools the largest type fits, or only one resource is about to run out.
  const tight = [...left.keys()].filter((column) => freeIn(column) < at(index.largest, column));
  if (tight.length === 0) return allowed;
  forEachBit(types, (type) => {
    const capacity = index.capacity[type];
    if (!capacity) return;
    for (const column of tight) {
      if (at(capacity, column) > freeIn(column)) {
        removeBit(allowed, type);
        return;
      }
    }
  });
  return allowed;
}

/** By column, the largest capacity of the types: what a node takes at most, whichever it becomes. */
export function capacityAtMost(types: Bitset, { index, columns }: Problem): Vector {
  const most = new Float64Array(columns.names.length);
  forEachBit(types, (type) => {
    const capacity = index.capacity[type];
    for (let column = 0; capacity && column < most.length; column++) {
      most[column] = Math.max(at(most, column), at(capacity, column));
    }
  });
  return most;
}
