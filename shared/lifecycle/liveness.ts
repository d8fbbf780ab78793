import type { NodeClaim, RemovalReason } from '../model/node-claim.ts';
import { type EpochMs, MINUTE_MS } from '../model/time.ts';

export const LAUNCH_TIMEOUT_MS = 5 * MINUTE_MS;
/** Counts from the claim's creation, so that it includes the launch, unless something was judged. */
export const REGISTRATION_TIMEOUT_MS = 15 * MINUTE_MS;

/** When a claim that gets no further is given up; there is no time-out for its initialization. */
export function livenessDeadline(claim: NodeClaim): EpochMs | undefined {
  if (claim.registeredAt !== undefined) return undefined;
  if (!claim.launch) return claim.createdAt + LAUNCH_TIMEOUT_MS;
  return (judgedAt(claim) ?? claim.createdAt) + REGISTRATION_TIMEOUT_MS;
}

/** The condition's last change of status: the clock starts anew with it. */
const judgedAt = ({ waitsFor }: NodeClaim): EpochMs | undefined =>
  waitsFor?.condition === 'Registered' && waitsFor.status === 'False' ? waitsFor.since : undefined;

export function missedDeadline(
  claim: NodeClaim,
  now: EpochMs,
): Extract<RemovalReason, 'LaunchTimeout' | 'RegistrationTimeout'> | undefined {
  const deadline = livenessDeadline(claim);
  if (deadline === undefined || now < deadline) return undefined;
  return claim.launch ? 'RegistrationTimeout' : 'LaunchTimeout';
}
