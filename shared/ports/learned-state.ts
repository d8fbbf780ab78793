import type { StoppedRollout } from '../model/nodes/drift.ts';
import type { LearnedSize } from '../model/nodes/learned-sizes.ts';
import type { PoolBackoff } from '../model/nodes/pool-backoff.ts';
import type { PoolVersion, RegistrationHealth, RegistrationResult } from '../model/nodes/registration-health.ts';
import type { OfferingPart, UnavailableOffering } from '../model/offerings/instance-type.ts';
import type { EpochMs } from '../model/time.ts';

/**
 * Offerings for which EC2 reported insufficient capacity. An entry lasts longer the more often EC2
 * repeats the report.
 */
export interface UnavailableOfferings {
  list(now: EpochMs): Promise<readonly UnavailableOffering[]>;

  /**
   * Marks offerings as unavailable. `markShort` computes for how long. Two marks at the same time
   * are both counted.
   *
   * @returns the marks as they are now, in the given order
   */
  mark(exhausted: readonly OfferingPart[], now: EpochMs): Promise<readonly UnavailableOffering[]>;
}

/** The real capacity of nodes, which replaces estimates. */
export interface LearnedSizes {
  /**
   * Lists one size for each image, type and setup of which a node was observed in the last 60 days.
   */
  list(now: EpochMs): Promise<readonly LearnedSize[]>;
  /**
   * Keeps the smallest amounts that such nodes have shown. Two writers at the same time do not
   * overwrite each other.
   */
  learn(observed: LearnedSize, now: EpochMs): Promise<void>;
}

/** Why a NodePool backs off. Each cause is counted apart. */
export type BackoffCause =
  /** Its nodes did not register. */
  | 'registration'
  /** EC2 refused its launches. */
  | 'launch'
  /** The pods of an owner did not run on the nodes that it launched for them. */
  | 'placement'
  /** Its drifted nodes could not be replaced. */
  | 'drift';

/**
 * Back-off for NodePools. Failing launches cost money or requests, so such a pool is tried
 * less and less often.
 */
export interface PoolBackoffs {
  /** Lists all entries, also those whose end has come: the next failure continues their count. */
  list(cause: BackoffCause): Promise<readonly PoolBackoff[]>;
  save(cause: BackoffCause, backoff: PoolBackoff): Promise<void>;
  /** Does nothing if there is no entry. */
  remove(cause: BackoffCause, pool: string, owner?: string): Promise<void>;
}

/** The last registrations of each NodePool, for its condition `NodeRegistrationHealthy`. */
export interface RegistrationHealths {
  list(): Promise<readonly RegistrationHealth[]>;
  /** Adds a result, see `addResult`. Two results at the same time are both counted. */
  record(pool: PoolVersion, result: RegistrationResult, now: EpochMs): Promise<void>;
}

/** Nodes and NodeClaims that pods were planned onto. Disruption leaves them alone for a while. */
export interface Nominations {
  list(now: EpochMs): Promise<Readonly<Record<string, EpochMs>>>;
  /** Adds entries. If a name has one already, the later `until` counts. */
  nominate(names: readonly string[], until: EpochMs): Promise<void>;
}

/** The largest number of ready nodes that the sweeps of one hour saw. */
export interface NodePeak {
  /** When the hour began. */
  readonly hour: EpochMs;
  readonly nodes: number;
}

/** The state that one sweep passes to the next. */
export interface SweepState {
  /**
   * When the first sweep found an empty table. The table never had a record of instances that are
   * older.
   */
  readonly tableSince: EpochMs;
  /** By provider id: the instances that no record explains, and since when. */
  readonly unexplained: Readonly<Record<string, EpochMs>>;
  /** Until then, an operator has confirmed that many instances may be terminated together. */
  readonly confirmedUntil?: EpochMs;
  /** One entry for each hour of the last day; `undefined` before the first count. */
  readonly nodePeaks?: readonly NodePeak[];
}

export interface SweepStateStore {
  /** Returns `undefined` before the first sweep. */
  read(): Promise<SweepState | undefined>;
  write(notes: SweepState): Promise<void>;
}

/**
 * Rollouts that stopped because a node of the changed NodeClass did not become ready. The failed
 * node may be gone already.
 */
export interface Rollouts {
  list(): Promise<readonly StoppedRollout[]>;
  /** Stores the stop. A later stop of the same NodeClass replaces it. */
  stop(rollout: StoppedRollout): Promise<void>;
  /** Does nothing if the rollout was not stopped. */
  resume(nodeClass: string): Promise<void>;
}
