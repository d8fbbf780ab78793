import {
  evaluateLease,
  isHeldBy,
  type Owner,
  type OwnerLease,
  type OwnershipStatus,
  releaseLease,
} from '../model/ownership.ts';
import type { EpochMs } from '../model/time.ts';
import type { Clock } from '../ports/ports.ts';
import type { Ownership } from '../ports/records.ts';

/** The lease objects of one cluster. Controllers that compete for a cluster share one instance. */
export interface OwnershipLeases {
  own?: OwnerLease;
  karpenterRenewedAt?: EpochMs;
}

const SINGLE_CONTROLLER: Owner = { stack: 'simulation', mode: 'controller' };

/**
 * Applies the rules of `evaluateLease` to leases in memory.
 *
 * @param leases - the cluster's leases; the default suits a single controller
 */
export function memoryOwnership(
  clock: Clock,
  leases: OwnershipLeases = {},
  self: Owner = SINGLE_CONTROLLER,
): Ownership {
  function claimLease(force: boolean): OwnershipStatus {
    const { own, karpenterRenewedAt } = leases;
    const { status, write } = evaluateLease({
      self,
      now: clock.now(),
      force,
      ...(own && { lease: own }),
      ...(karpenterRenewedAt !== undefined && { karpenterRenewedAt }),
    });
    if (write) leases.own = write;
    return status;
  }

  return {
    claim: async () => claimLease(false),
    takeOver: async () => claimLease(true),
    async release() {
      if (leases.own && isHeldBy(leases.own, self)) leases.own = releaseLease(leases.own, clock.now());
    },
  };
}
