import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import { ownValue } from '../model/own-value.ts';

/** The EC2NodeClasses of the snapshot, to which written NodePools may refer. */
export const listNodeClasses = ({ pools }: ClusterSnapshot): readonly string[] =>
  pools.map(({ nodeClass }) => nodeClass.name);

/**
 * Returns the snapshot with the written NodePools. Other NodePools stay; nodes and pods stay as they
 * were. A new NodePool gets the types and zones of one with the same NodeClass.
 */
export function changePools(
  snapshot: ClusterSnapshot,
  written: readonly NodePool[],
): ClusterSnapshot {
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
