import type { ClaimWait, NodeClaim } from '../model/nodes/node-claim.ts';
import type { EpochMs } from '../model/time.ts';

/**
 * @see Karpenter: truncates longer cloud messages in conditions and events
 */
const MAX_MESSAGE_LENGTH = 300;

/**
 * Returns the claim with this wait condition. The timestamp changes only with the status.
 *
 * @returns `claim` itself if it has the same condition already
 */
export function withWait(claim: NodeClaim, { message, ...wait }: Omit<ClaimWait, 'since'>, now: EpochMs): NodeClaim {
  const { waitsFor } = claim;
  const text = message.slice(0, MAX_MESSAGE_LENGTH);
  const isSameStatus = waitsFor?.condition === wait.condition && waitsFor.status === wait.status;
  if (isSameStatus && waitsFor.reason === wait.reason && waitsFor.message === text) return claim;
  return {
    ...claim,
    waitsFor: { ...wait, message: text, since: isSameStatus ? waitsFor.since : now },
  };
}

/** Returns the claim without its wait condition. */
export function withoutWait(claim: NodeClaim): NodeClaim {
  const { waitsFor: _, ...claimWithoutWait } = claim;
  return claim.waitsFor ? claimWithoutWait : claim;
}
