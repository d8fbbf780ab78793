import type { LaunchFailedError } from '../../model/errors.ts';
import type { LaunchResult } from '../../ports/cloud.ts';
import type { Ports } from '../../ports/ports.ts';
import type { LaunchRecord } from '../../ports/records.ts';
import { extendBackoff } from '../node-pool/backoff.ts';

/** A changed role or template may take seconds to be visible in EC2. */
const MAX_ATTEMPTS = 3;

/** Errors of EC2 itself, which end without a change of the pool or the account. */
const TRANSIENT_REASONS: ReadonlySet<string> = new Set(['RequestLimitExceeded', 'InternalError']);

/**
 * Makes a pool back off whose launch EC2 has refused three times, and ends the back-off when a
 * launch succeeds. Standalone claims have no pool and are retried until they time out.
 *
 * @returns true if the claims of the launch are given up, so that their pods are planned again
 */
export async function recordLaunchResult(
  { poolBackoffs, clock }: Pick<Ports, 'poolBackoffs' | 'clock'>,
  pool: string,
  { attempt }: LaunchRecord,
  { launches, refusal, isUncertain }: LaunchResult,
): Promise<boolean> {
  const isGivenUp = refusal !== undefined && isLasting(refusal) && !isUncertain && attempt >= MAX_ATTEMPTS;
  if (pool === '' || (launches.length === 0 && !isGivenUp)) return false;

  const existing = (await poolBackoffs.list('launch')).find((one) => one.pool === pool);
  if (refusal && isGivenUp) {
    const message = `${refusal.reason}: ${refusal.detail}`;
    await poolBackoffs.save('launch', extendBackoff(existing, { pool, at: clock.now(), message }));
  } else if (existing) {
    await poolBackoffs.remove('launch', pool);
  }
  return isGivenUp;
}

const isLasting = ({ reason }: LaunchFailedError): boolean => !TRANSIENT_REASONS.has(reason);
