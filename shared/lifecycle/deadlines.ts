import type { NodeClaim, RemovalReason } from '../model/nodes/node-claim.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../model/time.ts';

export const LAUNCH_TIMEOUT_MS = 5 * MINUTE_MS;
/** Counts from the claim's creation, so that it includes the launch, unless something was judged. */
export const REGISTRATION_TIMEOUT_MS = 15 * MINUTE_MS;

/** When a claim that gets no further is given up; there is no time-out for its initialization. */
export function computeLivenessDeadline(claim: NodeClaim): EpochMs | undefined {
  if (claim.registeredAt !== undefined) return undefined;
  if (!claim.launch) return claim.createdAt + LAUNCH_TIMEOUT_MS;
  return (faultSince(claim) ?? claim.createdAt) + REGISTRATION_TIMEOUT_MS;
}

/** The condition's last change of status: the clock starts anew with it. */
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

/** Absent: never. Budgets, PodDisruptionBudgets and do-not-disrupt do not move it. */
export const computeExpiry = ({ createdAt, expireAfterMs }: NodeClaim): EpochMs | undefined =>
  expireAfterMs === undefined ? undefined : createdAt + expireAfterMs;

export const isExpired = (claim: NodeClaim, now: EpochMs): boolean =>
  now >= (computeExpiry(claim) ?? Number.POSITIVE_INFINITY);

/**
 * A node joins within a minute, and pods wait for it. The API server's word of it may be lost, or
 * nobody may ask for it: so we look ourselves, more often than the sweep.
 */
export const STARTUP_CHECK_MS = 15 * SECOND_MS;

/** What takes longer has a reason that a quarter of a minute does not change: the sweep looks on. */
const STARTUP_CHECK_WINDOW_MS = 10 * MINUTE_MS;

/** When to look again at a claim that was launched and takes no pods yet; absent for any other. */
export const computeNextStartupCheck = (
  { launch, initializedAt, deletingAt }: NodeClaim,
  now: EpochMs,
): EpochMs | undefined =>
  launch &&
  now < launch.at + STARTUP_CHECK_WINDOW_MS &&
  initializedAt === undefined &&
  deletingAt === undefined
    ? now + STARTUP_CHECK_MS
    : undefined;
