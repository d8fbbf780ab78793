import type { EpochMs } from '../model/time.ts';
import type { RecordVersion } from './records.ts';

/** Each planner has a state of its own, which another planner may read. */
export type Planner = 'provisioning' | 'disruption';

/**
 * The subjects whose keys are at least `from` and less than `to`, as texts. A subject is what a planner
 * can leave out: the waiting pods of a workload in provisioning, a NodeClaim or a whole NodePool in
 * disruption.
 */
export interface KeyRange {
  readonly from: string;
  /** `undefined`: up to the last key. */
  readonly to?: string;
}

/** A plan that a process has begun. It is removed once the plan exists. */
export interface PlanningAttempt {
  readonly startedAt: EpochMs;
  /** The suspects that are planned, without others. `undefined`: all that is not suspected. */
  readonly suspects?: KeyRange;
  /** The key of the only subject among them. */
  readonly only?: string;
  /** True if no subject is planned. */
  readonly withoutSubjects?: boolean;
  /** True if its process has seen the plan fail; otherwise it may still be planning. */
  readonly hasFailed?: true;
}

/** A subject that is not planned, because planning it ended the process of the planner. */
export interface SetAsideSubject {
  readonly key: string;
  /** How often it was set aside in a row. */
  readonly failures: number;
  /** It is planned again at this time. */
  readonly until: EpochMs;
  /** True for a NodePool. */
  readonly isPool?: true;
}

/** Nothing is planned for a while, because plans do not end whatever subjects they leave out. */
export interface PlannerPause {
  /** How often the planner paused in a row. */
  readonly failures: number;
  /** Plans are tried again at this time. */
  readonly until: EpochMs;
}

/** The state of the search for the subjects whose planning ends the planner's process. */
export interface PlanningState {
  readonly attempt?: PlanningAttempt;
  /** Disjoint ranges. Each holds a subject that ends the planner, as far as is known. */
  readonly suspects: readonly KeyRange[];
  /** True if the others have been planned since the suspects changed. */
  readonly areOthersPlanned: boolean;
  /** The key of a subject that was planned alone once, without result. */
  readonly confirming?: string;
  readonly setAside: readonly SetAsideSubject[];
  /**
   * The number of attempts that did not end since the last one that planned subjects and ended. Older
   * releases do not write this field and the next three, and search as if they were `undefined`.
   */
  readonly unfinished?: number;
  /** True if an attempt without subjects has ended since these began, or since the last pause. */
  readonly endsWithoutSubjects?: boolean;
  /** The last pause since these began. */
  readonly pause?: PlannerPause;
  /** True if the subjects are NodePools, because no NodeClaim is the cause. */
  readonly byPool?: true;
}

export interface StoredPlanningState {
  readonly state: PlanningState;
  readonly version: RecordVersion;
}

export interface PlanningStateStore {
  /** Returns `undefined` before the planner's first plan. */
  find(planner: Planner): Promise<StoredPlanningState | undefined>;
  /**
   * Stores `state` if its stored version is still `expectedVersion`; 0 means that it must be new.
   *
   * @returns false if another writer came first
   */
  save(planner: Planner, state: PlanningState, expectedVersion: RecordVersion): Promise<boolean>;
}
