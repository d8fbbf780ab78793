import { staticHash } from '../../api/static-hash.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../../model/plans.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { PoolBackoff } from '../../ports/learned-state.ts';
import type { Ports } from '../../ports/ports.ts';

const MIN_BACKOFF_MS = MINUTE_MS;
const MAX_BACKOFF_MS = 10 * MINUTE_MS;

type BackoffPorts = Pick<Ports, 'driftBackoffs' | 'clock'>;

/**
 * A drifted node could not be replaced: the next of its pool waits, up to ten minutes, so that one
 * pool that cannot launch keeps no other from its turn.
 */
export async function recordDriftFailure(
  { driftBackoffs, clock }: BackoffPorts,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const now = clock.now();
  const backoffs = await driftBackoffs.list();
  for (const pool of listPools(command, snapshot)) {
    const before = backoffs.find((one) => one.pool === pool);
    // Commands that run side by side fail for one cause: they are counted once.
    if (before && now < before.until) continue;
    await driftBackoffs.save(extendBackoff(before, pool, now, toJitter(command.id)));
  }
}

/** One came up: the pool is as good as new. */
export async function recordDriftSuccess(
  { driftBackoffs }: BackoffPorts,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const pools = listPools(command, snapshot);
  const backoffs = await driftBackoffs.list();
  for (const { pool } of backoffs) if (pools.has(pool)) await driftBackoffs.remove(pool);
}

/** @param jitter - 0 to 1, so that pools that failed together do not come back together */
function extendBackoff(
  before: PoolBackoff | undefined,
  pool: string,
  now: EpochMs,
  jitter: number,
): PoolBackoff {
  const failures = (before?.failures ?? 0) + 1;
  const windowMs = Math.min(MIN_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
  return { pool, failures, until: now + Math.floor((windowMs / 2) * (1 + jitter)) };
}

const listPools = (
  { candidates }: DisruptionCommand,
  { claims }: ClusterSnapshot,
): ReadonlySet<string> =>
  new Set(claims.filter(({ name }) => candidates.includes(name)).map(({ pool }) => pool));

/** A number from 0 to 1 that looks drawn, and is the same for the same text. */
const toJitter = (text: string): number =>
  Number.parseInt(staticHash(text).slice(0, 8), 16) / 2 ** 32;
