import type { ClusterEvent } from '../model/explanations/events.ts';
import type { Labels } from '../model/labels.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type { CapacityType, InstanceType } from '../model/offerings/instance-type.ts';
import type { ZoneIds } from '../model/offerings/zones.ts';
import type { PodKey } from '../model/pods/pod.ts';
import type { Workload, WorkloadRef } from '../model/pods/workload.ts';
import type { RequirementSpec } from '../model/requirements/requirement-specs.ts';
import type { EpochMs } from '../model/time.ts';
import type { Decision } from '../ports/decision-log.ts';
import type { Clock, Ports } from '../ports/ports.ts';
import type { Hint } from '../ports/work-queue.ts';

/** A clock that advances only in `runUntil`. */
export interface VirtualClock extends Clock {
  /** Runs `work` at `at`, or now if `at` is past. Equal times run in the order of scheduling. */
  schedule(at: EpochMs, work: () => void | Promise<void>): void;
  /** Runs all work due up to `until`, one item at a time, and stops the clock there. */
  runUntil(until: EpochMs): Promise<void>;
  /** Due time of the next item. */
  next(): EpochMs | undefined;
}

/** Instance types and prices of the simulated EC2. */
export interface SimCatalogue {
  readonly region: string;
  readonly zones: readonly string[];
  /** Types that the pool's NodeClass can launch; the same list object for pools of one class. */
  instanceTypesOf(pool: NodePool): readonly InstanceType[];
  /** `undefined` if EC2 does not sell the type on demand. */
  onDemandUsd(instanceType: string): number | undefined;
  /**
   * The initial spot price; `undefined` if the zone sells none. Without this method, spot costs a
   * share of the on-demand price.
   */
  spotUsd?(instanceType: string, zone: string): number | undefined;
  /**
   * By NodePool: the zones in which its NodeClass has subnets. Without this field, every zone that
   * has offerings.
   */
  readonly zonesByPool?: Readonly<Record<string, readonly string[]>>;
  /** Zones that offer the type. */
  zonesOf(instanceType: string): readonly string[];
  isSpot(instanceType: string): boolean;
  /** The prices are weights: see `ClusterSnapshot.unpriced`. */
  readonly unpriced?: true;
  /** `undefined` if zones have no ids. */
  readonly zoneIds?: ZoneIds;
}

/**
 * Actions of a user or a script on the simulated cluster. Each is recorded as an event of kind
 * `you`.
 */
export interface UserActions {
  scale(workload: WorkloadRef, replicas: number): void;
  /** Sends a spot interruption notice (two minutes) or a rebalance recommendation for one node. */
  interrupt(node: string, notice: 'spot-interruption' | 'rebalance-recommendation'): void;
  /** Makes the matching offerings unavailable; an omitted field matches all. */
  exhaustCapacity(offering: { instanceType?: string; zone?: string; capacityType?: CapacityType }, forMs: number): void;
  /** Multiplies every spot price from now on. */
  multiplySpotPrices(factor: number): void;
  /** Ends all instances in the zone at once; EC2 has no capacity there for a while. */
  loseZone(zone: string, forMs: number): void;
  /**
   * Changes the template of the NodePool: without `requirements` so that all its nodes are drifted, else only
   * those that do not meet these.
   */
  changeTemplate(pool: string, requirements?: readonly RequirementSpec[]): void;
}

/** A node with its price and lifetime, for reports. */
export interface BilledNode {
  readonly claim: string;
  readonly pool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly hourlyUsd: number;
  readonly launchedAt: EpochMs;
  readonly removedAt?: EpochMs;
  readonly removal?: string;
  /** Pods on the node now, or when its removal started; without DaemonSet pods. */
  readonly pods: readonly PodKey[];
}

/** A point of the step curves; valid until the next one. */
export interface LedgerPoint {
  readonly at: EpochMs;
  readonly onDemandHourlyUsd: number;
  readonly spotHourlyUsd: number;
  readonly pendingPods: number;
  readonly nodes: number;
}

export interface Ledger {
  readonly billedNodes: readonly BilledNode[];
  readonly points: readonly LedgerPoint[];
  /** USD spent until `at`. */
  costUsd(at: EpochMs): number;
  /** Pods that have run, those that ran at the start included; without DaemonSet pods. */
  readonly ranPods: number;
  /**
   * Times from creation, or from the start of the simulation, to running, of pods that have started;
   * without DaemonSet pods.
   */
  readonly waitsMs: readonly number[];
  /** Time-weighted share of allocatable that pods requested, until `at`. */
  requestedShare(at: EpochMs): { readonly cpu: number; readonly memory: number };
  readonly evictions: number;
  /** Running pods integrated over time, in days. */
  podDays(at: EpochMs): number;
  readonly finishedPods: number;
  readonly createdPods: number;
}

/** An event with its position in the log. */
export interface RecordedEvent {
  /** Increases by one. */
  readonly seq: number;
  readonly event: ClusterEvent;
}

/**
 * A cluster with its cloud, in memory, under a virtual clock. Equal seeds give equal runs, byte by
 * byte.
 */
export interface SimWorld {
  readonly clock: VirtualClock;
  readonly ports: Ports;
  readonly userActions: UserActions;
  /** The same actions for a script; the events name the demo as their actor. */
  readonly demoActions: UserActions;
  readonly ledger: Ledger;
  /**
   * Delivers hints to `handler` as they fall due, one at a time. Call it once, before the clock
   * runs.
   */
  consume(handler: (hint: Hint) => Promise<void>): void;
  workloads(): readonly Workload[];
  pools(): readonly NodePool[];
  namespaces(): Readonly<Record<string, Labels>>;
  /** The newest decisions, oldest first, up to a limit. */
  decisions(): readonly Decision[];
  /** Events after `afterSeq`, oldest first, up to a limit. */
  events(afterSeq?: number): readonly RecordedEvent[];
  /** Calls `listener` after each visible change; returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
}
