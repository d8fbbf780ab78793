import type { Launch } from '../model/node-claim.ts';
import type { EpochMs } from '../model/time.ts';
import type { Version } from './node-claims.ts';

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
  readonly version: Version;
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
  save(record: LaunchRecord, seen: Version): Promise<boolean>;
  /** No error if absent. */
  remove(id: string): Promise<void>;
}
