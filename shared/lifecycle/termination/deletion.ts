import type { InterruptionCause } from '../../model/nodes/interruption.ts';
import type { NodeClaim, RemovalReason, RequestedBy } from '../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../model/time.ts';

export interface Deletion {
  readonly removal: RemovalReason;
  /** Set if EC2 caused the deletion. */
  readonly interruption?: InterruptionCause;
  /** The object whose deletion requested it. */
  readonly requestedBy?: RequestedBy;
  readonly at: EpochMs;
  /**
   * When draining ends and remaining pods are deleted; the claim's own grace period may set an
   * earlier one.
   */
  readonly deadline?: EpochMs;
}

/**
 * Sets the deletion timestamp. A claim that is being deleted keeps its timestamp and reason; only
 * an earlier deadline is applied, because the instance ends then.
 */
export function markDeleting(claim: NodeClaim, deletion: Deletion): NodeClaim {
  const { removal, interruption, requestedBy, at, deadline } = deletion;
  const deletingAt = claim.deletingAt ?? at;
  const drainDeadline = findEarliest(claim.drainDeadline, deadline, computeGracePeriodEnd(claim, deletingAt));
  if (claim.deletingAt !== undefined && drainDeadline === claim.drainDeadline) return claim;

  return {
    ...claim,
    deletingAt,
    removal: claim.removal ?? removal,
    ...(claim.interruption === undefined && interruption !== undefined && { interruption }),
    ...(claim.removal === undefined && requestedBy !== undefined && { requestedBy }),
    ...(drainDeadline !== undefined && { drainDeadline }),
  };
}

const computeGracePeriodEnd = ({ terminationGracePeriodMs }: NodeClaim, deletingAt: EpochMs): EpochMs | undefined =>
  terminationGracePeriodMs === undefined ? undefined : deletingAt + terminationGracePeriodMs;

function findEarliest(...times: readonly (EpochMs | undefined)[]): EpochMs | undefined {
  const defined = times.filter((time) => time !== undefined);
  return defined.length > 0 ? Math.min(...defined) : undefined;
}
