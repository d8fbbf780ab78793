import { staticHash } from '../../api/static-hash.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { PoolBackoff } from '../../model/nodes/pool-backoff.ts';
import type { DisruptionCommand } from '../../model/plans.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { computeBackoffMs } from '../node-pool/backoff.ts';

const MAX_BACKOFF_MS = 10 * MINUTE_MS;

type BackoffPorts = Pick<Ports, 'poolBackoffs' | 'clock'>;

/**
 * Makes the pool of a drifted node that could not be replaced back off, for up to ten minutes, so
 * that a pool that cannot launch does not block the other pools.
 */
export async function recordDriftFailure(
  { poolBackoffs, clock }: BackoffPorts,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const now = clock.now();
  const backoffs = await poolBackoffs.list('drift');
  for (const pool of listPools(command, snapshot)) {
    const before = backoffs.find((one) => one.pool === pool);
    // Commands that run side by side fail for the same cause: count one failure.
    if (before && now < before.until) continue;
    await poolBackoffs.save('drift', extendBackoff(before, pool, now, toJitter(command.id)));
  }
}

/** Ends the backoff: a replacement of the pool came up. */
export async function recordDriftSuccess(
  { poolBackoffs }: BackoffPorts,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const pools = listPools(command, snapshot);
  const backoffs = await poolBackoffs.list('drift');
  for (const { pool } of backoffs) if (pools.has(pool)) await poolBackoffs.remove('drift', pool);
}

/**
 * @param jitter - 0 to 1, so that pools that failed together do not retry together
 */
function extendBackoff(before: PoolBackoff | undefined, pool: string, now: EpochMs, jitter: number): PoolBackoff {
  const failures = (before?.failures ?? 0) + 1;
  const windowMs = computeBackoffMs(failures, MAX_BACKOFF_MS);
  return { pool, failures, until: now + Math.floor((windowMs / 2) * (1 + jitter)) };
}

const listPools = ({ candidates }: DisruptionCommand, { claims }: ClusterSnapshot): ReadonlySet<string> =>
  new Set(claims.filter(({ name }) => candidates.includes(name)).map(({ pool }) => pool));

/** Maps a text to a number from 0 to 1: evenly distributed, and equal for equal texts. */
const toJitter = (text: string): number => Number.parseInt(staticHash(text).slice(0, 8), 16) / 2 ** 32;
