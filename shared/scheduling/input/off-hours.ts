import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { getOrCreate, memoize } from '../../model/memo.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { findOffHours } from '../../model/nodes/pool-hours.ts';
import { NODES } from '../../model/resources.ts';

/** The snapshot in which pools that are in their off hours have a limit on nodes. */
export function limitOffHours(snapshot: ClusterSnapshot): ClusterSnapshot {
  const { pools, takenAt } = snapshot;
  const off = pools.filter((pool) => !observedPools.has(pool) && findOffHours(pool, takenAt));
  if (off.length === 0) return snapshot;
  const names = off.map(({ name }) => name).join();
  const limited = getOrCreate(
    getOrCreate(limitedPools, pools, () => new Map()),
    names,
    () => pools.map((pool) => (off.includes(pool) ? limitPool(pool) : pool)),
  );
  return { ...snapshot, pools: limited };
}

/** The pools as they were observed, by their limited copies. */
const observedPools = new WeakMap<NodePool, NodePool>();

/** By the observed pools, and by the names of those that are in off hours. */
const limitedPools = new WeakMap<readonly NodePool[], Map<string, readonly NodePool[]>>();

const limitPool = memoize((pool: NodePool): NodePool => {
  const nodes = Math.min(pool.limits[NODES] ?? Infinity, pool.hours?.offHoursNodes ?? Infinity);
  const limited = { ...pool, limits: { ...pool.limits, [NODES]: nodes } };
  observedPools.set(limited, pool);
  return limited;
});

/** The pool as it is in its hours. */
export function withoutOffHours(pool: NodePool): NodePool {
  const { hours: _, ...alwaysOn } = observedPools.get(pool) ?? pool;
  return alwaysOn;
}
