import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { type EpochMs, formatInstant, HOUR_MS, MINUTE_MS } from '../../model/time.ts';
import type { PoolBackoff } from '../../ports/learned-state.ts';
import type { Ports } from '../../ports/ports.ts';

const MIN_BACKOFF_MS = MINUTE_MS;
const MAX_BACKOFF_MS = HOUR_MS;

/**
 * Records whether a node of a pool registered or timed out. After a timeout nothing is launched for
 * the pool for a minute, then two, and so on up to an hour.
 */
export async function recordRegistration(
  { poolBackoffs, clock }: Pick<Ports, 'poolBackoffs' | 'clock'>,
  before: NodeClaim,
  after: NodeClaim,
): Promise<void> {
  const joined = before.registeredAt === undefined && after.registeredAt !== undefined;
  const failed = before.removal === undefined && after.removal === 'RegistrationTimeout';
  if (!joined && !failed) return;

  const existing = (await poolBackoffs.list()).find(({ pool }) => pool === after.pool);
  if (joined && existing) await poolBackoffs.remove(after.pool);
  if (failed) await poolBackoffs.save(extendBackoff(existing, after.pool, clock.now()));
}

/** Nodes that were launched together fail together: count one failure. */
function extendBackoff(existing: PoolBackoff | undefined, pool: string, now: EpochMs): PoolBackoff {
  if (existing && now < existing.until) return existing;
  const failures = (existing?.failures ?? 0) + 1;
  return {
    pool,
    failures,
    until: now + Math.min(MIN_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS),
  };
}

/** Marks pools that back off as not ready, so that plans do not use them. */
export function withBackoff(
  pools: readonly NodePool[],
  backoffs: readonly PoolBackoff[],
  now: EpochMs,
): readonly NodePool[] {
  const active = new Map(
    backoffs.filter(({ until }) => now < until).map((backoff) => [backoff.pool, backoff]),
  );
  if (active.size === 0) return pools;
  return pools.map((pool) => {
    const backoff = active.get(pool.name);
    return backoff && pool.ready ? withNotReady(pool, backoff) : pool;
  });
}

const withNotReady = (pool: NodePool, { until }: PoolBackoff): NodePool => ({
  ...pool,
  ready: false,
  notReady: {
    condition: 'NodeRegistrationHealthy',
    message: `its nodes did not join, the next is launched after ${formatInstant(until)}`,
  },
});
