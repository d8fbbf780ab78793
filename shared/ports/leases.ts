import type { EpochMs } from '../model/time.ts';

/** What one process at a time may do in a cluster: there is a lease for each. */
export type LeaseRole = 'commit' | 'plan' | 'sweep';

/** The right to a role for a while. */
export interface Lease {
  readonly role: LeaseRole;
  readonly holder: string;
  /**
   * Grows with each lease of the role, whoever gets it. A write that matters names it, and is refused
   * once a later lease has written: so a holder that overslept its term does no harm.
   */
  readonly fence: number;
  readonly until: EpochMs;
}

export interface LeaseTerm {
  /** Of one invocation: two that run side by side are two holders. */
  readonly holder: string;
  readonly now: EpochMs;
  readonly forMs: number;
}

/** Clocks differ: so long after its end a lease is still nobody else's. */
export const LEASE_MARGIN_MS = 2_000;

/** Mutual exclusion. It saves work; that nothing is done twice is what the fence is for. */
export interface Leases {
  /** Absent: somebody else has it. Who holds it already gets a new one, with a higher fence. */
  acquire(role: LeaseRole, term: LeaseTerm): Promise<Lease | undefined>;
  /** The same lease with a later end. Absent: somebody else has had it since, or it was given back. */
  renew(lease: Lease, until: EpochMs): Promise<Lease | undefined>;
  /** Lets the next one in at once. No error if it is somebody else's by now. */
  release(lease: Lease): Promise<void>;
}
