import type { StoppedRollout } from '../model/nodes/drift.ts';
import type { LearnedSize } from '../model/nodes/learned-sizes.ts';
import type { OfferingPart, UnavailableOffering } from '../model/offerings/instance-type.ts';
import type { EpochMs } from '../model/time.ts';

/** What EC2 said it has none of, remembered for a while: the longer, the oftener it said so. */
export interface UnavailableOfferings {
  list(now: EpochMs): Promise<readonly UnavailableOffering[]>;

  /**
   * EC2 has none of these now. How long that holds follows from what is remembered (`markShort`), and
   * two that say so at once are both counted.
   *
   * @returns the marks as they are now, in the order given
   */
  mark(exhausted: readonly OfferingPart[], now: EpochMs): Promise<readonly UnavailableOffering[]>;
}

/** What nodes have turned out to have, in the place of estimates. */
export interface LearnedSizes {
  /** One for each image, type and setup of which a node was seen in the last 60 days. */
  list(now: EpochMs): Promise<readonly LearnedSize[]>;
  /** Remembers the least that nodes like this have shown; two who learn at once are both heard. */
  learn(seen: LearnedSize, now: EpochMs): Promise<void>;
}

/** A pool whose nodes lately did not join. */
export interface PoolBackoff {
  readonly pool: string;
  /** How often in a row, what failed together counted once. */
  readonly failures: number;
  /** Nothing is launched for it before. */
  readonly until: EpochMs;
}

/** Nodes that do not join are paid for all the same: a pool of such is tried less and less often. */
export interface PoolBackoffs {
  /** Those whose end has come as well: the next failure counts on. */
  list(): Promise<readonly PoolBackoff[]>;
  save(backoff: PoolBackoff): Promise<void>;
  /** No error if absent. */
  remove(pool: string): Promise<void>;
}

/** Nodes and claims that pods were planned onto: disruption leaves them alone for a while. */
export interface Nominations {
  list(now: EpochMs): Promise<Readonly<Record<string, EpochMs>>>;
  /** A later `until` wins. */
  nominate(names: readonly string[], until: EpochMs): Promise<void>;
}

/** What one sweep leaves to the next. */
export interface SweepState {
  /** When the first sweep found nothing here: what runs longer than that, this table never knew. */
  readonly tableSince: EpochMs;
  /** Instances that nothing accounts for, by provider id: since when that is seen. */
  readonly unexplained: Readonly<Record<string, EpochMs>>;
  /** Until then a person has confirmed that many instances may be ended together. */
  readonly confirmedUntil?: EpochMs;
}

export interface SweepStateStore {
  /** Absent: there was no sweep yet. */
  read(): Promise<SweepState | undefined>;
  write(notes: SweepState): Promise<void>;
}

/** Nodes that did not get ready from what their class says: they are gone before anybody asks. */
export interface Rollouts {
  list(): Promise<readonly StoppedRollout[]>;
  /** The latest of a class stands. */
  stop(rollout: StoppedRollout): Promise<void>;
  /** No error if it was not stopped. */
  resume(nodeClass: string): Promise<void>;
}
