import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../../model/plans.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { PoolBackoff } from '../../ports/learned-state.ts';
import type { Ports } from '../../ports/ports.ts';
import { shareOf } from './share-of.ts';

const FIRST_MS = MINUTE_MS;
const LONGEST_MS = 10 * MINUTE_MS;

type Parts = Pick<Ports, 'driftBackoffs' | 'clock'>;

/**
 * A drifted node could not be replaced: the next of its pool waits, up to ten minutes, so that one
 * pool that cannot launch keeps no other from its turn.
 */
export async function noteDriftFailure(
  { driftBackoffs, clock }: Parts,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const now = clock.now();
  const known = await driftBackoffs.list();
  for (const pool of poolsOf(command, snapshot)) {
    const before = known.find((one) => one.pool === pool);
    // Commands that run side by side fail for one cause: they are counted once.
    if (before && now < before.until) continue;
    await driftBackoffs.save(lengthened(before, pool, now, shareOf(command.id)));
  }
}

/** One came up: the pool is as good as new. */
export async function noteDriftSuccess(
  { driftBackoffs }: Parts,
  command: DisruptionCommand,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const pools = poolsOf(command, snapshot);
  const known = await driftBackoffs.list();
  for (const { pool } of known) if (pools.has(pool)) await driftBackoffs.remove(pool);
}

/** @param jitter - 0 to 1, so that pools that failed together do not come back together */
function lengthened(
  before: PoolBackoff | undefined,
  pool: string,
  now: EpochMs,
  jitter: number,
): PoolBackoff {
  const failures = (before?.failures ?? 0) + 1;
  const windowMs = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  return { pool, failures, until: now + Math.floor((windowMs / 2) * (1 + jitter)) };
}

const poolsOf = (
  { candidates }: DisruptionCommand,
  { claims }: ClusterSnapshot,
): ReadonlySet<string> =>
  new Set(claims.filter(({ name }) => candidates.includes(name)).map(({ pool }) => pool));
