import { computeForcedExpiry } from '../model/nodes/expiry.ts';
import type { NodeClaim, RemovalReason } from '../model/nodes/node-claim.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../model/time.ts';

export const LAUNCH_TIMEOUT_MS = 5 * MINUTE_MS;
/** Counts from the claim's creation, or from the latest registration fault. */
export const REGISTRATION_TIMEOUT_MS = 15 * MINUTE_MS;

/** When a claim that makes no progress is given up. Initialization has no timeout. */
export function computeLivenessDeadline(claim: NodeClaim): EpochMs | undefined {
  if (claim.registeredAt !== undefined) return undefined;
  if (!claim.launch) return claim.createdAt + LAUNCH_TIMEOUT_MS;
  return (faultSince(claim) ?? claim.createdAt) + REGISTRATION_TIMEOUT_MS;
}

/** A registration fault restarts the timeout. */
const faultSince = ({ waitsFor }: NodeClaim): EpochMs | undefined =>
  waitsFor?.condition === 'Registered' && waitsFor.status === 'False' ? waitsFor.since : undefined;

export function findMissedDeadline(
  claim: NodeClaim,
  now: EpochMs,
): Extract<RemovalReason, 'LaunchTimeout' | 'RegistrationTimeout'> | undefined {
  const deadline = computeLivenessDeadline(claim);
  if (deadline === undefined || now < deadline) return undefined;
  return claim.launch ? 'RegistrationTimeout' : 'LaunchTimeout';
}

export const isExpired = (claim: NodeClaim, now: EpochMs): boolean =>
  now >= (computeForcedExpiry(claim) ?? Number.POSITIVE_INFINITY);

/**
 * A node usually joins within a minute, and pods wait for it. The node's event may be lost, or
 * there may be no webhook, so the controller checks more often than the sweep.
 */
export const STARTUP_CHECK_MS = 15 * SECOND_MS;

/** A longer start has a reason that frequent checks do not change; the sweep continues. */
const STARTUP_CHECK_WINDOW_MS = 10 * MINUTE_MS;

/**
 * Time of the next check of a launched claim that is not initialized; `undefined` for any other
 * claim.
 */
export const computeNextStartupCheck = (
  { launch, initializedAt, deletingAt }: NodeClaim,
  now: EpochMs,
): EpochMs | undefined =>
  launch && now < launch.at + STARTUP_CHECK_WINDOW_MS && initializedAt === undefined && deletingAt === undefined
    ? now + STARTUP_CHECK_MS
    : undefined;
