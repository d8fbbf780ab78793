import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { maxResources, NO_RESOURCES, NODES, type Resources } from '../../model/resources.ts';
import { type Bitset, forEachBit, removeBit } from '../data-structures/bitset.ts';
import {
  addTimes,
  at,
  type ResourceColumns,
  toVector,
  type Vector,
} from '../data-structures/resource-vectors.ts';
import { listTypesOfClaim, type TypeIndex } from '../instance-types/type-index.ts';
import type { ExistingNode } from './existing-nodes.ts';
import type { Problem } from './problem.ts';

/** The capacity and number of nodes that a pool already has, as its limits count them. */
export interface PoolUsage {
  readonly capacity: Vector;
  readonly nodes: number;
}

type UsageByPool = ReadonlyMap<string, PoolUsage>;

/** The context in which capacities of nodes and claims are looked up. */
interface UsageContext {
  readonly snapshot: Pick<ClusterSnapshot, 'instanceTypes'>;
  readonly typeIndex: TypeIndex;
  readonly columns: ResourceColumns;
}

/** @see Karpenter: limits count nodes and claims of the pool that are not being deleted */
export function computeUsageByPool(
  nodes: readonly ExistingNode[],
  context: UsageContext,
): UsageByPool {
  const usage = new Map<string, { readonly capacity: Vector; nodes: number }>();
  for (const { claim, node } of nodes) {
    if (!claim || !countsForLimits(claim)) continue;
    const pool = getOrCreate(usage, claim.pool, () => ({
      capacity: new Float64Array(context.columns.names.length),
      nodes: 0,
    }));
    addTimes(pool.capacity, findLimitedCapacity(claim, node, context), 1);
    pool.nodes += 1;
  }
  return usage;
}

/** The usage without one node. */
export function subtractNode(
  usage: UsageByPool,
  { claim, node }: ExistingNode,
  context: UsageContext,
): UsageByPool {
  const used = claim && usage.get(claim.pool);
  if (!used || !countsForLimits(claim)) return usage;
  const capacity = used.capacity.slice();
  addTimes(capacity, findLimitedCapacity(claim, node, context), -1);
  return new Map(usage).set(claim.pool, { capacity, nodes: used.nodes - 1 });
}

const countsForLimits = ({ deletingAt }: NodeClaim): boolean => deletingAt === undefined;

function findLimitedCapacity(
  claim: NodeClaim,
  node: Node | undefined,
  { snapshot, typeIndex, columns }: UsageContext,
): Vector {
  const { instanceTypes } = snapshot;
  const capacity = claim.launch?.capacity ?? node?.capacity;
  return toVector(
    columns,
    capacity ?? findMaxCapacity(listTypesOfClaim(claim, instanceTypes, typeIndex)),
  );
}

/** A claim may become any of its types until it is launched, so limits must hold for each. */
const findMaxCapacity = (types: readonly InstanceType[]): Resources =>
  types.map(({ capacity }) => capacity).reduce(maxResources, NO_RESOURCES);

/** What a pool may still add; Infinity where no limit is set. */
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
export function createAllowance(
  pool: NodePool,
  used: PoolUsage | undefined,
  columns: ResourceColumns,
): PoolAllowance {
  const remaining = new Float64Array(columns.names.length).fill(Infinity);
  for (const name in pool.limits) {
    const column = columns.indexOf.get(name);
    if (column === undefined) continue;
    remaining[column] = (pool.limits[name] ?? 0) - (used ? at(used.capacity, column) : 0);
  }
  return { remaining, nodes: (pool.limits[NODES] ?? Infinity) - (used?.nodes ?? 0) };
}

/** Creates the allowances of all pools with limits, by pool name. */
export function createAllowances({
  nodeTemplates,
  poolUsage,
  columns,
}: Problem): Map<string, PoolAllowance> {
  const limited = nodeTemplates.filter((template) => template.limited);
  return new Map(
    limited.map(({ pool }) => [
      pool.name,
      createAllowance(pool, poolUsage.get(pool.name), columns),
    ]),
  );
}

/** True if `maxNodes` nodes stay within the allowance whatever their types are. */
export const isAmple = (
  { remaining, nodes }: PoolAllowance,
  maxNodes: number,
  { typeIndex: { largest } }: Problem,
): boolean =>
  nodes >= maxNodes &&
  remaining.every(
    (amount, column) => amount === Infinity || amount >= maxNodes * at(largest, column),
  );

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
  const freeIn = (column: number): number =>
    at(remaining, column) + (charged ? at(charged, column) : 0);
  // In most pools the largest type fits, or only one resource is scarce.
  const tightColumns = [...remaining.keys()].filter(
    (column) => freeIn(column) < at(typeIndex.largest, column),
  );
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
