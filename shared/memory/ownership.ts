import {
  isHeldBy,
  judgeLease,
  type Owner,
  type OwnerLease,
  released,
  type Standing,
} from '../model/ownership.ts';
import type { EpochMs } from '../model/time.ts';
import type { ClusterIdentities, ClusterIdentity } from '../ports/cluster.ts';
import type { Clock } from '../ports/ports.ts';
import type { Ownership } from '../ports/records.ts';

/** What homes that share a cluster share. */
export interface OwnershipLeases {
  own?: OwnerLease;
  karpenterRenewedAt?: EpochMs;
}

const SINGLE_CONTROLLER: Owner = { stack: 'simulation', mode: 'controller' };

/** @param leases - of the cluster; a home that is alone needs none */
export function memoryOwnership(
  clock: Clock,
  leases: OwnershipLeases = {},
  self: Owner = SINGLE_CONTROLLER,
): Ownership {
  function claimLease(force: boolean): Standing {
    const { own, karpenterRenewedAt } = leases;
    const { standing, write } = judgeLease({
      self,
      now: clock.now(),
      force,
      ...(own ? { lease: own } : {}),
      ...(karpenterRenewedAt === undefined ? {} : { karpenterRenewedAt }),
    });
    if (write) leases.own = write;
    return standing;
  }

  return {
    claim: async () => claimLease(false),
    takeOver: async () => claimLease(true),
    async release() {
      if (leases.own && isHeldBy(leases.own, self)) leases.own = released(leases.own, clock.now());
    },
  };
}

export function memoryClusterIdentities(): ClusterIdentities {
  let stored: ClusterIdentity | undefined;

  return {
    remember: async (own) => (stored ??= own),
  };
}
