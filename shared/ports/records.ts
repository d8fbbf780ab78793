import type { Launch, NodeClaim } from '../model/nodes/node-claim.ts';
import type { OwnershipStatus } from '../model/ownership.ts';
import type { DisruptionCommand } from '../model/plans.ts';
import type { EpochMs } from '../model/time.ts';

/** Grows by one with every write; 0 means "not stored yet". */
export type RecordVersion = number;

/** A record that exists, but that this release cannot read. */
export interface UnreadableRecord {
  readonly name: string;
  readonly why: string;
}

/**
 * The records of one kind. Those that cannot be read are named apart, so that one of them does not
 * stop the work on the others. Methods that read a single record throw UnreadableRowError instead.
 */
export interface RecordList<T> {
  readonly records: readonly T[];
  readonly unreadable: readonly UnreadableRecord[];
}

export interface StoredNodeClaim {
  readonly claim: NodeClaim;
  readonly version: RecordVersion;
}

/** The records of every node that this cluster requested: the single source of truth. */
export interface NodeClaims {
  /** Reads the result of the latest `save`, never an older copy. */
  find(name: string): Promise<StoredNodeClaim | undefined>;
  /**
   * Finds the claim of an instance by EC2's id (`i-...`), at the cost of one claim. Terminated
   * claims are not found.
   */
  findByInstance(instanceId: string): Promise<StoredNodeClaim | undefined>;
  /** The same by the name of its Node. */
  findByNode(node: string): Promise<StoredNodeClaim | undefined>;
  /** Lists the claims that are not terminated. */
  list(options?: ListOptions): Promise<RecordList<StoredNodeClaim>>;

  /**
   * Stores `claim` if its stored version is still `expectedVersion`; 0 means that it must be new.
   *
   * @throws StaleNodeClaimError - another writer came first: read again and decide again
   */
  save(claim: NodeClaim, expectedVersion: RecordVersion): Promise<void>;

  /** Renews what would expire of the claims that the last `list` returned. The sweep calls it. */
  renew(): Promise<void>;
}

export interface ListOptions {
  /**
   * The list may lack the writes of the last second, for half the cost. For readers that decide nothing by
   * what the list lacks, or that check it again:
   *
   * - Disruption: a command is stale if a consistent list shows that its nodes, its targets, or other nodes of
   *   its pools have changed (`commit-command.ts`). A taint is removed after the claim was read again.
   * - Drift marks: a write needs the version that was listed; a claim that is missing is marked by the next run.
   * - A rollout stops if the list lacks a node that has started. That only stops replacements, and the next
   *   run resumes it.
   * - Pods of interrupted nodes: the order of their deletions is computed again with each step, every second.
   * - Names of shifted zones: the EC2NodeClasses, read consistently, name them too.
   * - Conditions of EC2NodeClasses, NodeOverlays and CapacityBuffers are only shown.
   */
  readonly isEventual?: boolean;
}

/**
 * One request to EC2 and its result. A claim is in at most one launch record. The record says which
 * instance belongs to which claim; instances carry only the id of the record.
 */
export interface LaunchRecord {
  readonly id: string;
  /** Grows when a request that EC2 refused is sent again. */
  readonly attempt: number;
  /** The names of its claims. A claim that is given up before it has an instance is taken out. */
  readonly claims: readonly string[];
  /** The time of the last call. Without `closedAt` or `refused` the result is unknown. */
  readonly calledAt: EpochMs;
  /** EC2 refused the last attempt for a reason other than capacity. */
  readonly refused?: boolean;
  /** The number of answers in a row that refused the attempt, but may have launched with one of its tries. */
  readonly uncertainAnswers?: number;
  /** After a refusal: EC2 is not called again before this time. */
  readonly retryAt?: EpochMs;
  /** By claim name. */
  readonly launches: Readonly<Record<string, Launch>>;
  /** EC2 has answered: claims that are not in `launches` get no instance from this request. */
  readonly closedAt?: EpochMs;
  /** The answer named unavailable offerings, so another plan will choose other offerings. */
  readonly foundShortage?: boolean;
}

export interface StoredLaunch {
  readonly record: LaunchRecord;
  readonly version: RecordVersion;
}

/**
 * Launch records. A record is written before EC2 is called and kept for an hour after the answer.
 */
export interface Launches {
  find(id: string): Promise<StoredLaunch | undefined>;
  list(): Promise<RecordList<StoredLaunch>>;
  /**
   * Stores `record` if its stored version is still `expectedVersion`; 0 means that it must be new.
   *
   * @returns false if another writer came first
   */
  save(record: LaunchRecord, expectedVersion: RecordVersion): Promise<boolean>;
  /** Does nothing if there is no record. */
  remove(id: string): Promise<void>;
}

/** Work that one process at a time may do in a cluster, each with a lease of its own. */
export type LeaseRole = 'commit' | 'plan' | 'sweep';

/** The right to a role for a limited time. */
export interface Lease {
  readonly role: LeaseRole;
  readonly holder: string;
  /**
   * Grows with each lease of the role, whichever process holds it. Critical writes name the fence
   * and are refused if a later lease has written. A holder that overslept its term therefore does
   * no harm.
   */
  readonly fence: number;
  readonly until: EpochMs;
}

export interface LeaseTerm {
  /** Identifies one invocation: two invocations that run side by side are two holders. */
  readonly holder: string;
  readonly now: EpochMs;
  readonly forMs: number;
}

/** Allowance for clock differences: a lease stays reserved this long after its end. */
export const LEASE_MARGIN_MS = 2_000;

/** Mutual exclusion, which saves work. Correctness comes from the fence. */
export interface Leases {
  /**
   * Returns `undefined` if another holder has the lease. The current holder gets a new lease with a
   * higher fence.
   */
  acquire(role: LeaseRole, term: LeaseTerm): Promise<Lease | undefined>;
  /**
   * Extends the lease. Returns `undefined` if it was released or another holder has had it since.
   */
  renew(lease: Lease, until: EpochMs): Promise<Lease | undefined>;
  /** Frees the lease at once. Does nothing if another holder has it. */
  release(lease: Lease): Promise<void>;
}

/** Grows by one with every commit; 0 means that there was none yet. */
export type Epoch = number;

/** A decision that is in force. Any process may create its records from it. */
export interface Commit {
  /** The id of the decision. */
  readonly id: string;
  /** Claims that are ready to be stored. Their names derive from the decision. */
  readonly claims: readonly NodeClaim[];
  readonly command?: DisruptionCommand;
}

export interface LatestCommit {
  readonly epoch: Epoch;
  /** `undefined` if all records of the commit exist. */
  readonly open?: Commit;
}

/**
 * Commits order the decisions and make each take effect whole or not at all. The records of the
 * latest commit may not exist yet, so every reader of records calls `latest` first and creates
 * them.
 */
export interface Commits {
  latest(): Promise<LatestCommit>;

  /**
   * Commits if the latest epoch is still `expectedEpoch` and no holder of a later lease has
   * committed.
   *
   * @returns true if the commit took effect
   */
  add(commit: Commit, expectedEpoch: Epoch, lease: Lease): Promise<boolean>;

  /** Notes that all records of the commit exist. Does nothing if there is a later commit. */
  close(epoch: Epoch): Promise<void>;
}

/**
 * Disruption commands in progress. They count against budgets, and an interrupted command is
 * resumed from them.
 */
export interface Commands {
  list(): Promise<RecordList<DisruptionCommand>>;
  /** Stores a new command. An existing command of the same id stays unchanged. */
  add(command: DisruptionCommand): Promise<void>;
  /** Does nothing if there is no such command. */
  remove(id: string): Promise<void>;
}

/**
 * Cluster ownership: one owner at a time. Controllers ask before they launch, drain or terminate,
 * and do none of it on stand-by. An answer may be a second old.
 *
 * Every method throws if the API server cannot be reached: ownership is then unknown.
 */
export interface Ownership {
  /**
   * Takes the cluster if it has no owner, and renews our ownership. A long-running process calls it
   * at least every ten seconds; otherwise another runtime takes over.
   */
  claim(): Promise<OwnershipStatus>;
  /**
   * Takes the cluster like `claim`, also from another runtime of the same stack, but never from
   * Karpenter.
   */
  takeOver(): Promise<OwnershipStatus>;
  /** Gives up ownership at once. Does nothing if we do not own the cluster. */
  release(): Promise<void>;
}
