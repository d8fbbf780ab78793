import type { NodeClaim } from '../model/node-claim.ts';

/** Grows by one with every write; 0 means "not stored yet". */
export type Version = number;

export interface Stored {
  readonly claim: NodeClaim;
  readonly version: Version;
}

/** The record of every node this cluster asked for: the one source of truth. */
export interface NodeClaims {
  /** Reads what the latest `save` wrote, never an older copy. */
  find(name: string): Promise<Stored | undefined>;
  /** Claims that are not terminated. */
  list(): Promise<readonly Stored[]>;

  /**
   * Stores `claim` if nobody wrote it since version `seen`; 0 means that it must be new.
   *
   * @throws StaleNodeClaimError - another writer came first: read again, decide again
   */
  save(claim: NodeClaim, seen: Version): Promise<void>;
}
