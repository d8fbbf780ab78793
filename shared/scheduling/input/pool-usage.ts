import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { maxResources, NO_RESOURCES, type Resources } from '../../model/resources.ts';
import { addTimes, type ResourceColumns, toVector, type Vector } from '../data-structures/resource-vectors.ts';
import { listTypesOfClaim, type TypeIndex } from '../instance-types/type-index.ts';
import type { ExistingNode } from './existing-nodes.ts';

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
export function computeUsageByPool(nodes: readonly ExistingNode[], context: UsageContext): UsageByPool {
  const usage = new Map<string, { readonly capacity: Vector; nodes: number }>();
  for (const { claim, node } of nodes) {
    if (!claim || !countsForLimits(claim)) continue;
    const pool = getOrCreate(usage, claim.pool, () => ({
      capacity: new Float64Array(context.columns.names.length),
      nodes: 0,
    }));
    addTimes(pool.capacity, findCapacityForLimits(claim, node, context), 1);
    pool.nodes += 1;
  }
  return usage;
}

/** The usage without one node. */
export function subtractNode(usage: UsageByPool, { claim, node }: ExistingNode, context: UsageContext): UsageByPool {
  const used = claim && usage.get(claim.pool);
  if (!used || !countsForLimits(claim)) return usage;
  const capacity = used.capacity.slice();
  addTimes(capacity, findCapacityForLimits(claim, node, context), -1);
  return new Map(usage).set(claim.pool, { capacity, nodes: used.nodes - 1 });
}

const countsForLimits = ({ deletingAt }: NodeClaim): boolean => deletingAt === undefined;

function findCapacityForLimits(
  claim: NodeClaim,
  node: Node | undefined,
  { snapshot, typeIndex, columns }: UsageContext,
): Vector {
  const { instanceTypes } = snapshot;
  const capacity = claim.launch?.capacity ?? node?.capacity;
  return toVector(columns, capacity ?? findMaxCapacity(listTypesOfClaim(claim, instanceTypes, typeIndex)));
}

/** A claim may become any of its types until it is launched, so limits must hold for each. */
const findMaxCapacity = (types: readonly InstanceType[]): Resources =>
  types.map(({ capacity }) => capacity).reduce(maxResources, NO_RESOURCES);
