import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import type { Node } from '../../model/node.ts';
import type { NodeClaim } from '../../model/node-claim.ts';
import { maxResources, NO_RESOURCES, type Resources } from '../../model/resources.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import { type TypeIndex, typesOfClaim } from '../instance-types/type-index.ts';
import { addTimes, type ResourceColumns, toVector, type Vector } from '../data-structures/resource-vectors.ts';

/** What a pool has already, as far as limits count it. */
export interface PoolUsage {
  readonly capacity: Vector;
  readonly nodes: number;
}

type UsageByPool = ReadonlyMap<string, PoolUsage>;

/** What the figures of nodes and claims are looked up in. */
interface Figures {
  readonly snapshot: Pick<ClusterSnapshot, 'instanceTypes'>;
  readonly index: TypeIndex;
  readonly columns: ResourceColumns;
}

/** @see Karpenter: limits count nodes and claims of the pool that are not being deleted */
export function usageByPool(bins: readonly ExistingBin[], figures: Figures): UsageByPool {
  const usage = new Map<string, { readonly capacity: Vector; nodes: number }>();
  for (const { claim, node } of bins) {
    if (!claim || !countsForLimits(claim)) continue;
    const pool = usage.get(claim.pool) ?? {
      capacity: new Float64Array(figures.columns.names.length),
      nodes: 0,
    };
    usage.set(claim.pool, pool);
    addTimes(pool.capacity, limitedCapacity(claim, node, figures), 1);
    pool.nodes += 1;
  }
  return usage;
}

/** The same once a node is gone. */
export function usageWithout(
  usage: UsageByPool,
  { claim, node }: ExistingBin,
  figures: Figures,
): UsageByPool {
  const used = claim && usage.get(claim.pool);
  if (!used || !countsForLimits(claim)) return usage;
  const capacity = used.capacity.slice();
  addTimes(capacity, limitedCapacity(claim, node, figures), -1);
  return new Map(usage).set(claim.pool, { capacity, nodes: used.nodes - 1 });
}

const countsForLimits = ({ deletingAt }: NodeClaim): boolean => deletingAt === undefined;

function limitedCapacity(
  claim: NodeClaim,
  node: Node | undefined,
  { snapshot, index, columns }: Figures,
): Vector {
  const { instanceTypes } = snapshot;
  const known = claim.launch?.capacity ?? node?.capacity;
  return toVector(columns, known ?? largestOf(typesOfClaim(claim, instanceTypes, index)));
}

/** Until it is launched a claim may become any of its types: limits must hold for each. */
const largestOf = (types: readonly InstanceType[]): Resources =>
  types.map(({ capacity }) => capacity).reduce(maxResources, NO_RESOURCES);
