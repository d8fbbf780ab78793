import type { InterruptionCause } from '../../model/nodes/interruption.ts';
import type { NodeClaim, RemovalReason } from '../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../model/time.ts';

export interface Deletion {
  readonly removal: RemovalReason;
  /** Of one that EC2 is the cause of. */
  readonly interruption?: InterruptionCause;
  readonly at: EpochMs;
  /** When draining turns into deletion; the claim's own grace period may set an earlier one. */
  readonly deadline?: EpochMs;
}

/**
 * Sets the deletion timestamp. A claim that has one keeps it and its reason: only an earlier
 * deadline gets through, for the instance goes when it goes.
 */
export function markDeleting(claim: NodeClaim, deletion: Deletion): NodeClaim {
  const { removal, interruption, at, deadline } = deletion;
  const deletingAt = claim.deletingAt ?? at;
  const drainDeadline = findEarliest(
    claim.drainDeadline,
    deadline,
    computeGracePeriodEnd(claim, deletingAt),
  );
  if (claim.deletingAt !== undefined && drainDeadline === claim.drainDeadline) return claim;

  return {
    ...claim,
    deletingAt,
    removal: claim.removal ?? removal,
    ...(claim.deletingAt === undefined && interruption !== undefined && { interruption }),
    ...(drainDeadline !== undefined && { drainDeadline }),
  };
}

const computeGracePeriodEnd = (
  { terminationGracePeriodMs }: NodeClaim,
  deletingAt: EpochMs,
): EpochMs | undefined =>
  terminationGracePeriodMs === undefined ? undefined : deletingAt + terminationGracePeriodMs;

function findEarliest(...times: readonly (EpochMs | undefined)[]): EpochMs | undefined {
  const defined = times.filter((time) => time !== undefined);
  return defined.length > 0 ? Math.min(...defined) : undefined;
}
