import type { ClusterEvent } from '../model/explanations/events.ts';
import type { MetricLabels, MetricName, MetricOf } from '../model/metrics/metrics.ts';
import type { EC2NodeClass, NodeSize } from '../model/nodes/node-class.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type { ClusterFacts } from '../model/nodes/resolved-node-class.ts';
import type { DisruptionPlan, ProvisioningPlan } from '../model/plans.ts';
import type { DecisionSettings } from '../model/settings.ts';
import type { EpochMs } from '../model/time.ts';
import type { Cloud, ShiftSource, ZonalShifts } from './cloud.ts';
import type { Cluster } from './cluster.ts';
import type {
  LearnedSizes,
  Nominations,
  PoolBackoffs,
  Rollouts,
  SweepStateStore,
  UnavailableOfferings,
} from './learned-state.ts';
import type { NodeClasses, NodeClassObjects, NodeClassResources } from './node-classes.ts';
import type { Commands, Commits, Launches, Leases, NodeClaims, Ownership } from './records.ts';
import type { WakeUps, WorkQueue } from './work-queue.ts';

/** All that the controllers need from outside. A home fills it once; a controller takes its pick. */
export interface Ports {
  readonly clock: Clock;
  readonly cluster: Cluster;
  readonly cloud: Cloud;
  readonly nodeClaims: NodeClaims;
  readonly leases: Leases;
  readonly launches: Launches;
  readonly commits: Commits;
  readonly sweepState: SweepStateStore;
  readonly poolBackoffs: PoolBackoffs;
  /** Of pools whose drifted nodes could not be replaced lately. */
  readonly driftBackoffs: PoolBackoffs;
  readonly rollouts: Rollouts;
  /** What classes stood for when they were last resolved. */
  readonly nodeClasses: Pick<NodeClasses, 'list'>;
  readonly commands: Commands;
  readonly nominations: Nominations;
  readonly unavailableOfferings: UnavailableOfferings;
  readonly learnedSizes: LearnedSizes;
  readonly queue: WorkQueue;
  readonly wakeUps: WakeUps;
  readonly decisionLog: DecisionLog;
  readonly ownership: Ownership;
  /** Absent: zonal shifts change nothing here. */
  readonly zonalShifts?: ZonalShifts;
  /** Absent: somebody else asks for them. */
  readonly shiftSource?: ShiftSource;
  /** What people have set; absent: nothing, and all is as usual. */
  readonly settings?: DecisionSettings;
  /** Absent: this home resolves no classes. */
  readonly classes?: ClassPorts;
}

/** What EC2NodeClasses are resolved with. */
export interface ClassPorts {
  readonly records: NodeClasses;
  readonly objects: NodeClassObjects;
  readonly resources: NodeClassResources;
  facts(): Promise<ClusterFacts>;
  /** Absent: nobody knows any. */
  pools?(): Promise<readonly NodePool[]>;
  /**
   * The sizes that expressions in a class's kubelet must work for; empty: no type is known yet.
   * Absent: the feature gate NodeClassCEL is off, and expressions are refused.
   */
  nodeSizes?(nodeClass: EC2NodeClass): readonly NodeSize[];
}

export interface Clock {
  now(): EpochMs;
}

/** A decision with its reasons, as it was made. */
export type Decision = { readonly id: string; readonly at: EpochMs } & (
  | { readonly kind: 'provisioning'; readonly plan: ProvisioningPlan }
  | { readonly kind: 'disruption'; readonly plan: DisruptionPlan }
);

/** What explanations, feeds and audits are read from. Writing never fails a decision. */
export interface DecisionLog {
  recordDecision(decision: Decision): Promise<void>;
  recordEvent(event: ClusterEvent): Promise<void>;
}

export interface GaugeSample<N extends MetricName> {
  readonly labels: MetricLabels<N>;
  readonly value: number;
}

/** Figures about our own work, for whoever watches it. Recording never fails and never waits. */
export interface Telemetry {
  /** Counts up, by 1 unless told otherwise. */
  count<N extends MetricOf<'counter'>>(name: N, labels: MetricLabels<N>, by?: number): void;
  /** One more value of a distribution. */
  observe<N extends MetricOf<'histogram'>>(name: N, labels: MetricLabels<N>, value: number): void;
  /** How things are now: all series of the gauge; one that is not named is gone. */
  gauge<N extends MetricOf<'gauge'>>(name: N, samples: readonly GaugeSample<N>[]): void;
}
