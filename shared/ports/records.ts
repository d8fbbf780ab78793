import type { Launch, NodeClaim } from '../model/nodes/node-claim.ts';
import type { OwnershipStatus } from '../model/ownership.ts';
import type { DisruptionCommand } from '../model/plans.ts';
import type { EpochMs } from '../model/time.ts';

/** Grows by one with every write; 0 means "not stored yet". */
export type RecordVersion = number;

export interface StoredNodeClaim {
  readonly claim: NodeClaim;
  readonly version: RecordVersion;
}

/** The record of every node this cluster asked for: the one source of truth. */
export interface NodeClaims {
  /** Reads what the latest `save` wrote, never an older copy. */
  find(name: string): Promise<StoredNodeClaim | undefined>;
  /** Claims that are not terminated. */
  list(): Promise<readonly StoredNodeClaim[]>;

  /**
   * Stores `claim` if nobody wrote it since version `seen`; 0 means that it must be new.
   *
   * @throws StaleNodeClaimError - another writer came first: read again, decide again
   */
  save(claim: NodeClaim, expectedVersion: RecordVersion): Promise<void>;
}

/**
 * One request to EC2 and what came of it. A claim is in one such record at most, and the record says
 * which instance is whose: not the instances, which carry nothing but its id.
 */
export interface LaunchRecord {
  readonly id: string;
  /** Grows when a request that EC2 refused is made anew. */
  readonly attempt: number;
  /** Names of those it is for. One that is given up before it has its instance leaves. */
  readonly claims: readonly string[];
  /** When EC2 was asked last. Without an end or a refusal nobody knows the answer. */
  readonly calledAt: EpochMs;
  /** EC2 refused the last attempt for another cause than a lack of capacity. */
  readonly refused?: boolean;
  /** The refusal is not the whole story: some try of the last attempt may have launched. */
  readonly uncertain?: boolean;
  /** By claim. */
  readonly launches: Readonly<Record<string, Launch>>;
  /** EC2 has answered: what is not in `launches` it does not have. */
  readonly closedAt?: EpochMs;
  /** The answer said what EC2 has none of, so that another plan will look elsewhere. */
  readonly foundDry?: boolean;
}

export interface StoredLaunch {
  readonly record: LaunchRecord;
  readonly version: RecordVersion;
}

/** Written before EC2 is asked and kept for an hour after the answer. */
export interface Launches {
  find(id: string): Promise<StoredLaunch | undefined>;
  list(): Promise<readonly StoredLaunch[]>;
  /**
   * Stores `record` if nobody wrote it since version `seen`; 0 means that it must be new.
   *
   * @returns whether it did
   */
  save(record: LaunchRecord, expectedVersion: RecordVersion): Promise<boolean>;
  /** No error if absent. */
  remove(id: string): Promise<void>;
}

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

/** Grows by one with every commit; 0 means that there was none yet. */
export type Epoch = number;

/** A decision that holds: its records are made from it, whoever gets to it. */
export interface Commit {
  /** Of the decision. */
  readonly id: string;
  /** Ready to be stored, under names that derive from the decision. */
  readonly claims: readonly NodeClaim[];
  readonly command?: DisruptionCommand;
}

export interface LatestCommit {
  readonly epoch: Epoch;
  /** Absent: all that it asks for is on record. */
  readonly open?: Commit;
}

/**
 * Decisions take effect one after the other, each whole or not at all. What was committed may not be
 * on record yet: so whoever reads the records looks here first, and makes them.
 */
export interface Commits {
  latest(): Promise<LatestCommit>;

  /**
   * Takes effect if no commit came after `seen`, and no holder of a later lease has committed.
   *
   * @returns whether it did
   */
  add(commit: Commit, expectedEpoch: Epoch, lease: Lease): Promise<boolean>;

  /** Notes that all that the commit asks for is on record. No error if there is a later one. */
  close(epoch: Epoch): Promise<void>;
}

/** Disruption commands under way, so that budgets hold and a dead run is taken up again. */
export interface Commands {
  list(): Promise<readonly DisruptionCommand[]>;
  /** Stores a new command; one with the same id replaces nothing. */
  add(command: DisruptionCommand): Promise<void>;
  /** No error if absent. */
  remove(id: string): Promise<void>;
}

/**
 * One owner per cluster. Whoever is about to launch, move or end something asks first; on stand-by
 * it does nothing of the kind. An answer may be a second old.
 *
 * Every method throws if the cluster cannot be asked: then nobody is known to own it.
 */
export interface Ownership {
  /**
   * Takes the cluster if nobody holds it, and keeps it if we do. A home that lives on asks at least
   * every ten seconds, or another one takes over.
   */
  claim(): Promise<OwnershipStatus>;
  /** As `claim`, but takes it from another home of the same stack. Karpenter is never pushed out. */
  takeOver(): Promise<OwnershipStatus>;
  /** Lets go, so that the next one need not wait. No error if it is not ours. */
  release(): Promise<void>;
}
