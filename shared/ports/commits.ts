import type { NodeClaim } from '../model/node-claim.ts';
import type { DisruptionCommand } from '../model/plans.ts';
import type { Lease } from './leases.ts';

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
  add(commit: Commit, seen: Epoch, lease: Lease): Promise<boolean>;

  /** Notes that all that the commit asks for is on record. No error if there is a later one. */
  close(epoch: Epoch): Promise<void>;
}
