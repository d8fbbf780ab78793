import type { NotReady } from '../../model/nodes/node-class.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { PoolBackoff } from '../../model/nodes/pool-backoff.ts';
import { type EpochMs, formatInstant, HOUR_MS, MINUTE_MS } from '../../model/time.ts';

/** The delay after failures in a row: a minute, then two, and so on. */
export const computeBackoffMs = (failures: number, maxMs = HOUR_MS): number =>
  failures === 0 ? 0 : Math.min(MINUTE_MS * 2 ** (failures - 1), maxMs);

export interface LaunchFailure extends Pick<PoolBackoff, 'pool' | 'owner' | 'message'> {
  readonly at: EpochMs;
  /** When the failed launch started; `undefined` if it is not known. */
  readonly launchedAt?: EpochMs;
  /** True if the first failure in a row is counted without a delay. */
  readonly isFirstFree?: boolean;
}

/**
 * Computes the back-off after a failure: a minute, then two, and so on up to an hour. Launches that
 * started together fail together: failures during a back-off, and of launches that started before
 * the last failure, do not extend it.
 */
export function extendBackoff(
  existing: PoolBackoff | undefined,
  { at, launchedAt, isFirstFree = false, ...failure }: LaunchFailure,
): PoolBackoff {
  if (existing && (at < existing.until || isCounted(existing, launchedAt))) return existing;
  const failures = (existing?.failures ?? 0) + 1;
  const delayMs = computeBackoffMs(isFirstFree ? failures - 1 : failures);
  return { ...failure, failures, failedAt: at, until: at + delayMs };
}

const isCounted = (
  { failedAt = Number.NEGATIVE_INFINITY }: PoolBackoff,
  launchedAt = Number.POSITIVE_INFINITY,
): boolean => launchedAt <= failedAt;

export interface PoolBackoffLists {
  /** Pools whose nodes did not register. */
  readonly registration: readonly PoolBackoff[];
  /** Pools whose launches EC2 refused. */
  readonly launch: readonly PoolBackoff[];
}

/** Marks pools that back off as not ready, so that plans do not use them. */
export function withBackoff(
  pools: readonly NodePool[],
  { registration, launch }: PoolBackoffLists,
  now: EpochMs,
): readonly NodePool[] {
  const reasons = new Map([
    ...listActive(registration, now).map((backoff) => [backoff.pool, describeRegistration(backoff)] as const),
    ...listActive(launch, now).map((backoff) => [backoff.pool, describeRefusal(backoff)] as const),
  ]);
  if (reasons.size === 0) return pools;
  return pools.map((pool) => {
    const notReady = reasons.get(pool.name);
    return notReady && pool.ready ? { ...pool, ready: false, notReady } : pool;
  });
}

export const listActive = (backoffs: readonly PoolBackoff[], now: EpochMs): readonly PoolBackoff[] =>
  backoffs.filter(({ until }) => now < until);

const describeRegistration = ({ until }: PoolBackoff): NotReady => ({
  condition: 'NodeRegistrationHealthy',
  message: `its nodes did not join, the next is launched after ${formatInstant(until)}`,
});

export const describeRefusal = ({ until, message = '' }: PoolBackoff): NotReady => ({
  condition: 'LaunchesAccepted',
  message: `EC2 refused its launches (${message}), the next is tried after ${formatInstant(until)}`,
});
