import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import { addResources, maxResources, NO_RESOURCES, NODES, type Resources } from '../../../shared/model/resources.ts';
import type { FinalNode } from './final-nodes.ts';

/** Computes the NodePool's capacity if each new claim is launched as its largest type. */
export function computeMaxCapacity(
  { claims, nodes }: ClusterSnapshot,
  pool: NodePool,
  finalNodes: readonly FinalNode[],
): Resources {
  const planned = finalNodes.filter((node) => node.planned?.claim.pool === pool.name);
  const running = claims
    .filter((claim) => claim.pool === pool.name)
    .filter(({ deletingAt, terminatedAt }) => deletingAt === undefined && terminatedAt === undefined)
    .map(({ name, launch }) => {
      const node = nodes.find(({ providerId }) => providerId === launch?.providerId);
      const variants = finalNodes.find((one) => one.name === (node?.name ?? name))?.variants ?? [];
      return launch?.capacity ?? node?.capacity ?? findLargest(variants);
    });
  const capacities = [...running, ...planned.map(({ variants }) => findLargest(variants))];
  return addResources(...capacities, { [NODES]: capacities.length });
}

const findLargest = (variants: FinalNode['variants']): Resources =>
  variants.map(({ capacity }) => capacity).reduce(maxResources, NO_RESOURCES);

/** Finds limits that the plan may exceed. Limits that were exceeded before are ignored. */
export function findLimitViolations(snapshot: ClusterSnapshot, finalNodes: readonly FinalNode[]): string[] {
  return snapshot.pools.flatMap((pool) => {
    if (!finalNodes.some(({ planned }) => planned?.claim.pool === pool.name)) return [];
    const used = computeMaxCapacity(snapshot, pool, finalNodes);
    return Object.entries(pool.limits)
      .filter(([resource, limit]) => (ownValue(used, resource) ?? 0) > limit)
      .map(([resource, limit]) => `${pool.name}: ${ownValue(used, resource)} ${resource} over limit ${limit}`);
  });
}
