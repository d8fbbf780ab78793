import type { ClusterEvent } from '../model/explanations/events.ts';
import type { Labels } from '../model/labels.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type { CapacityType, InstanceType } from '../model/offerings/instance-type.ts';
import type { PodKey } from '../model/pods/pod.ts';
import type { Workload } from '../model/pods/workload.ts';
import type { EpochMs } from '../model/time.ts';
import type { Clock, Decision, Ports } from '../ports/ports.ts';
import type { Hint } from '../ports/work-queue.ts';

/** Time that passes only when told to. */
export interface VirtualClock extends Clock {
  /** Runs `work` at `at` (never before now); equal times run in the order they were asked for. */
  schedule(at: EpochMs, work: () => void | Promise<void>): void;
  /** Runs all that falls due up to `until`, one piece of work after the other, and stays there. */
  runUntil(until: EpochMs): Promise<void>;
  /** When the next piece of work is due. */
  next(): EpochMs | undefined;
}

/** The EC2 that the simulation offers: facts, handed in by the home. */
export interface SimCatalogue {
  readonly region: string;
  readonly zones: readonly string[];
  /** What the pool's NodeClass can run; the same list object for pools of one class. */
  instanceTypesOf(pool: NodePool): readonly InstanceType[];
  /** Absent: EC2 does not sell it on demand. */
  onDemandUsd(instanceType: string): number | undefined;
  /**
   * What a spot instance costs at the start. Without the method, a share of the on-demand price;
   * with it, absent means that the zone sells none.
   */
  spotUsd?(instanceType: string, zone: string): number | undefined;
  /** Zones that have the type. */
  zonesOf(instanceType: string): readonly string[];
  isSpot(instanceType: string): boolean;
}

export interface WorkloadRef {
  readonly kind: Workload['kind'];
  readonly namespace: string;
  readonly name: string;
}

/** What a person, or a scenario, does to the simulated cluster. Each enters the journal as "You". */
export interface UserActions {
  scale(workload: WorkloadRef, replicas: number): void;
  /** A spot interruption notice (two minutes) or a rebalance recommendation for one node. */
  interrupt(node: string, notice: 'spot-interruption' | 'rebalance-recommendation'): void;
  /** EC2 has none of what matches; an absent field matches all. */
  exhaustCapacity(
    offering: { instanceType?: string; zone?: string; capacityType?: CapacityType },
    forMs: number,
  ): void;
  /** Multiplies every spot price from now on. */
  multiplySpotPrices(factor: number): void;
}

/** One node's stay, for bills and reports. */
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
  /** On it now, or when it went; DaemonSet pods left out. */
  readonly pods: readonly PodKey[];
}

/** A step of the curves; holds until the next one. */
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
  /** Money spent until `at`. */
  costUsd(at: EpochMs): number;
  /** From creation to running, of pods that got to run; DaemonSet pods left out. */
  readonly waitsMs: readonly number[];
  /** Requested share of allocatable, weighted by time, until `at`. */
  requestedShare(at: EpochMs): { readonly cpu: number; readonly memory: number };
  readonly evictions: number;
  /** Pods that ran, times days they ran. */
  podDays(at: EpochMs): number;
  readonly finishedPods: number;
  readonly createdPods: number;
}

export interface JournalEntry {
  /** Grows by one. */
  readonly seq: number;
  readonly event: ClusterEvent;
}

/** A cluster with its cloud, in memory, under a virtual clock. Same seed, same bytes. */
export interface SimWorld {
  readonly clock: VirtualClock;
  readonly ports: Ports;
  readonly userActions: UserActions;
  /** The same, for a script: its actions are told apart in the journal. */
  readonly demoActions: UserActions;
  readonly ledger: Ledger;
  /** Hands over hints as they fall due, one at a time. Set once, before time runs. */
  consume(handler: (hint: Hint) => Promise<void>): void;
  workloads(): readonly Workload[];
  namespaces(): Readonly<Record<string, Labels>>;
  /** The newest decisions, oldest first; a bounded number is kept. */
  decisions(): readonly Decision[];
  /** Journal entries after `seq`, oldest first; a bounded number is kept. */
  events(afterSeq?: number): readonly JournalEntry[];
  /** Called after each change that a page would show; returns how to stop. */
  onChange(listener: () => void): () => void;
}
