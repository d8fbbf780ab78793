import type { METRICS, MetricLabels, MetricName, MetricOf } from '../model/metrics/metrics.ts';
import type { EC2NodeClass, NodeSize } from '../model/nodes/node-class.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type { ClusterFacts } from '../model/nodes/resolved-node-class.ts';
import type { DecisionSettings, LaunchCaps } from '../model/settings.ts';
import type { EpochMs } from '../model/time.ts';
import type { Cloud, ShiftSource, ZonalShifts } from './cloud.ts';
import type { Cluster } from './cluster.ts';
import type { DecisionLog } from './decision-log.ts';
import type {
  LearnedSizes,
  Nominations,
  PoolBackoffs,
  RegistrationHealths,
  Rollouts,
  SweepStateStore,
  UnavailableOfferings,
} from './learned-state.ts';
import type { NodeClasses, NodeClassObjects, NodeClassResources } from './node-classes.ts';
import type { PlanningStateStore } from './planning-state.ts';
import type { Commands, Commits, Launches, Leases, NodeClaims, Ownership } from './records.ts';
import type { Topic, WakeUps, WorkQueue } from './work-queue.ts';

/**
 * All that the controllers need from outside. A runtime provides every port once; a controller
 * picks those that it needs.
 *
 * @typeParam T - the topics of the hints that the controller sends
 */
export interface Ports<T extends Topic = Topic> {
  readonly clock: Clock;
  readonly cluster: Cluster;
  readonly cloud: Cloud;
  readonly nodeClaims: NodeClaims;
  readonly leases: Leases;
  readonly launches: Launches;
  readonly commits: Commits;
  readonly sweepState: SweepStateStore;
  readonly planningState: PlanningStateStore;
  readonly poolBackoffs: PoolBackoffs;
  readonly registrationHealths: RegistrationHealths;
  readonly rollouts: Rollouts;
  /** The last resolutions of the NodeClasses. */
  readonly nodeClasses: Pick<NodeClasses, 'list'>;
  readonly commands: Commands;
  readonly nominations: Nominations;
  readonly unavailableOfferings: UnavailableOfferings;
  readonly learnedSizes: LearnedSizes;
  readonly queue: WorkQueue<T>;
  readonly wakeUps: WakeUps;
  /**
   * Waits in this process; `undefined` if the queue delivers on the millisecond. SQS delays by whole
   * seconds.
   */
  readonly sleep?: (ms: number) => Promise<void>;
  /** Milliseconds until this process is ended; `undefined` if it runs until it is stopped. */
  readonly timeLeft?: () => number;
  readonly decisionLog: DecisionLog;
  readonly ownership: Ownership;
  /** `undefined` if this runtime ignores zonal shifts. */
  readonly zonalShifts?: ZonalShifts;
  /** `undefined` if another function asks for zonal shifts. */
  readonly shiftSource?: ShiftSource;
  /** Limits of all launches in the cluster; `undefined` for the defaults. */
  readonly launchCaps?: LaunchCaps;
  /** Settings of the operator; `undefined` for the defaults. */
  readonly settings?: DecisionSettings;
  /** `undefined` if this runtime resolves no NodeClasses. */
  readonly classes?: ClassPorts;
}

/** The ports that resolving EC2NodeClasses needs. */
export interface ClassPorts {
  readonly records: NodeClasses;
  readonly objects: NodeClassObjects;
  readonly resources: NodeClassResources;
  facts(): Promise<ClusterFacts>;
  /** `undefined` if the NodePools are unknown. */
  pools?(): Promise<readonly NodePool[]>;
  /**
   * Lists the node sizes for which the kubelet expressions of a NodeClass must work; empty if no
   * type is known yet. `undefined` if the feature gate NodeClassCEL is off: expressions are then
   * refused.
   */
  nodeSizes?(nodeClass: EC2NodeClass): readonly NodeSize[];
  /** ARNs of the customer keys that launches may use for volumes. `undefined`: not known. */
  readonly volumeKeys?: readonly string[];
}

export interface Clock {
  now(): EpochMs;
}

export interface GaugeSample<N extends MetricName> {
  readonly labels: MetricLabels<N>;
  readonly value: number;
}

/** Metrics of our own work. Recording never throws and never waits. */
export interface Telemetry {
  /** Increments a counter, by 1 unless `by` is given. */
  count<N extends MetricOf<'counter'>>(name: N, labels: MetricLabels<N>, by?: number): void;
  /** Adds a value to a distribution. */
  observe<N extends MetricOf<'histogram' | 'summary'>>(name: N, labels: MetricLabels<N>, value: number): void;
  /** Sets all series of the gauge. A series that is not named disappears. */
  gauge<N extends MetricOf<'gauge'>>(name: N, samples: readonly GaugeSample<N>[]): void;
}

type UnlabelledGauge = {
  [N in MetricOf<'gauge'>]: (typeof METRICS)[N]['labels'] extends readonly [] ? N : never;
}[MetricOf<'gauge'>];

/** Sets a gauge that has one series. */
export const gaugeOne = (telemetry: Pick<Telemetry, 'gauge'>, name: UnlabelledGauge, value: number): void =>
  telemetry.gauge(name, [{ labels: {}, value }]);
