import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import type { ClockView, InfoView, LowerBound, WorkloadView } from '../views.ts';
import type { DecisionIndex } from './decision-index.ts';
import type { PodCache } from './pod-cache.ts';

/** Everything that the views are made from, as of one moment. */
export interface ConsoleFacts {
  readonly info: InfoView;
  readonly clock: ClockView;
  readonly snapshot: ClusterSnapshot;
  readonly commands: readonly DisruptionCommand[];
  readonly decisions: DecisionIndex;
  readonly pods: PodCache;
  /** From creation to running, of pods that got to run. */
  readonly waitsMs: readonly number[];
  readonly spentUsd?: number;
  readonly bound?: LowerBound;
  /** What people may scale, and where; absent outside the playground. */
  readonly playable?: Playable;
}

export interface Playable {
  readonly workloads: readonly WorkloadView[];
  readonly zones: readonly string[];
  readonly instanceTypes: readonly string[];
}
