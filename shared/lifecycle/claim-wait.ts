import type { ClaimWait, NodeClaim } from '../model/nodes/node-claim.ts';
import type { EpochMs } from '../model/time.ts';

/** @see Karpenter: longer texts of the cloud's are cut, on conditions as in events */
const MAX_MESSAGE_LENGTH = 300;

/**
 * The claim, waiting for this. The time of the status stays while the status does.
 *
 * @returns the very claim that came in, if it waited for the same
 */
export function withWait(
  claim: NodeClaim,
  { message, ...wait }: Omit<ClaimWait, 'since'>,
  now: EpochMs,
): NodeClaim {
  const { waitsFor } = claim;
  const text = message.slice(0, MAX_MESSAGE_LENGTH);
  const isSameStatus = waitsFor?.condition === wait.condition && waitsFor.status === wait.status;
  if (isSameStatus && waitsFor.reason === wait.reason && waitsFor.message === text) return claim;
  return {
    ...claim,
    waitsFor: { ...wait, message: text, since: isSameStatus ? waitsFor.since : now },
  };
}

/** What it waited for has come. */
export function withoutWait(claim: NodeClaim): NodeClaim {
  const { waitsFor: _, ...rest } = claim;
  return claim.waitsFor ? rest : claim;
}
