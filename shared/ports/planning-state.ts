import type { EpochMs } from '../model/time.ts';
import type { RecordVersion } from './records.ts';

/** The workloads whose keys are at least `from` and less than `to`, as texts. */
export interface KeyRange {
  readonly from: string;
  /** `undefined`: up to the last key. */
  readonly to?: string;
}

/** A plan that a process has begun. It is removed once the plan exists. */
export interface PlanningAttempt {
  readonly startedAt: EpochMs;
  /** The suspects that are planned, without other pods. `undefined`: all pods that are not suspected. */
  readonly suspects?: KeyRange;
  /** The key of the only workload among them. */
  readonly only?: string;
}

/** A workload that is not planned, because planning it ended the process of the planner. */
export interface SetAsideWorkload {
  readonly key: string;
  /** How often it was set aside in a row. */
  readonly failures: number;
  /** It is planned again at this time. */
  readonly until: EpochMs;
}

/** The state of the search for the workloads whose planning ends the planner's process. */
export interface PlanningState {
  readonly attempt?: PlanningAttempt;
  /** Disjoint ranges. Each holds a workload that ends the planner, as far as is known. */
  readonly suspects: readonly KeyRange[];
  /** True if the other pods have been planned since the suspects changed. */
  readonly areOthersPlanned: boolean;
  /** The key of a workload that was planned alone once, without result. */
  readonly confirming?: string;
  readonly setAside: readonly SetAsideWorkload[];
}

export interface StoredPlanningState {
  readonly state: PlanningState;
  readonly version: RecordVersion;
}

export interface PlanningStateStore {
  /** Returns `undefined` before the first plan. */
  find(): Promise<StoredPlanningState | undefined>;
  /**
   * Stores `state` if its stored version is still `expectedVersion`; 0 means that it must be new.
   *
   * @returns false if another writer came first
   */
  save(state: PlanningState, expectedVersion: RecordVersion): Promise<boolean>;
}
