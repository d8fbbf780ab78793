import type { ClusterManifests } from '../api/manifests/cluster-manifests.ts';
import { staticHash } from '../api/static-hash.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import { ownValue } from '../model/own-value.ts';

/** The EC2NodeClasses of the snapshot, to which written NodePools may refer. */
export const listNodeClasses = ({ pools }: ClusterSnapshot): readonly string[] =>
  pools.map(({ nodeClass }) => nodeClass.name);

/**
 * Returns the snapshot with the written NodePools. Other NodePools stay; nodes and pods stay as they
 * were. A new NodePool gets the types and zones of one with the same NodeClass. A written EC2NodeClass
 * counts as changed: a snapshot does not contain the class that its nodes were launched with, so they
 * drift.
 */
export function changePools(
  snapshot: ClusterSnapshot,
  manifests: Pick<ClusterManifests, 'pools' | 'nodeClasses'>,
): ClusterSnapshot {
  const written = [...manifests.pools, ...listPoolsOfClasses(snapshot, manifests)].map((pool) =>
    withClassHash(pool, manifests),
  );
  const names = new Set(written.map(({ name }) => name));
  const changed = written.map((pool) => withRecordedState(pool, snapshot));
  const added = written.filter(({ name }) => ownValue(snapshot.instanceTypes, name) === undefined);
  const { instanceTypes, zones, fullZones } = snapshot;
  return {
    ...snapshot,
    pools: [...snapshot.pools.filter(({ name }) => !names.has(name)), ...changed],
    instanceTypes: withAdded(instanceTypes, added, snapshot, []),
    ...(zones && { zones: withAdded(zones, added, snapshot, []) }),
    ...(fullZones && { fullZones: withAdded(fullZones, added, snapshot, []) }),
  };
}

/** Lists the NodePools that are not written themselves, but refer to a written EC2NodeClass. */
function listPoolsOfClasses(
  { pools }: Pick<ClusterSnapshot, 'pools'>,
  written: Pick<ClusterManifests, 'pools' | 'nodeClasses'>,
): readonly NodePool[] {
  const names = new Set(written.pools.map(({ name }) => name));
  const classes = new Set(written.nodeClasses.map(({ name }) => name));
  return pools.filter(({ name, nodeClass }) => classes.has(nodeClass.name) && !names.has(name));
}

function withClassHash(pool: NodePool, { nodeClasses }: Pick<ClusterManifests, 'nodeClasses'>): NodePool {
  const written = nodeClasses.find(({ name }) => name === pool.nodeClass.name);
  return written ? { ...pool, hash: staticHash({ pool: pool.hash, class: written.hash }) } : pool;
}

/** Keeps the fields that the API server and the controllers set, which no manifest has. */
function withRecordedState(pool: NodePool, { pools }: ClusterSnapshot): NodePool {
  const recorded = pools.find(({ name }) => name === pool.name);
  if (!recorded) return { ...pool, ready: true };
  const { uid, ready, deleting, generation, nodeClassGeneration, notReady } = recorded;
  return {
    ...pool,
    ...{ uid, ready, deleting },
    ...(generation !== undefined && { generation }),
    ...(nodeClassGeneration !== undefined && { nodeClassGeneration }),
    ...(notReady && { notReady }),
  };
}

function withAdded<T>(
  byPool: Readonly<Record<string, T>>,
  added: readonly NodePool[],
  { pools }: ClusterSnapshot,
  otherwise: T,
): Readonly<Record<string, T>> {
  const entries = added.map(({ name, nodeClass }): readonly [string, T] => {
    const sibling = pools.find((one) => one.nodeClass.name === nodeClass.name);
    return [name, (sibling && ownValue(byPool, sibling.name)) ?? otherwise];
  });
  return { ...byPool, ...Object.fromEntries(entries) };
}
