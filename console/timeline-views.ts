import type { CapacityType } from '../shared/model/offerings/instance-type.ts';
import type { EpochMs } from '../shared/model/time.ts';
import type { CostByCapacity, EventView, ObjectRef } from './views.ts';

export interface SeriesPoint {
  readonly at: EpochMs;
  readonly hourlyUsd: CostByCapacity;
  readonly boundHourlyUsd?: number;
  readonly pendingPods: number;
}

export interface SeriesView {
  readonly points: readonly SeriesPoint[];
  /** Decisions and user actions, shown as dots on the curve. */
  readonly marks: readonly EventView[];
}

/** The life of a node, with the word for its end. */
export interface NodeSpan {
  readonly name: string;
  /** Empty for nodes without a NodePool. */
  readonly pool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType?: CapacityType;
  readonly hourlyUsd?: number;
  readonly bornAt: EpochMs;
  /** Undefined while it starts. */
  readonly readyAt?: EpochMs;
  readonly leavingAt?: EpochMs;
  readonly goneAt?: EpochMs;
  /** Why it went: `consolidated`. */
  readonly why?: string;
}

/**
 * Something that is known to come. `ready`: a node becomes ready. `goes`: a node is removed or
 * replaced. `expires`: a node reaches its `expireAfter`. `budget`: the disruption budgets of a
 * NodePool allow another number of nodes.
 */
export interface PlannedStep {
  readonly kind: 'ready' | 'goes' | 'expires' | 'budget';
  /** Undefined if the time is not known. */
  readonly at?: EpochMs;
  readonly text: string;
  readonly objects: readonly ObjectRef[];
  readonly node?: string;
}

export interface TimelineView {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** The earliest moment that can be shown. */
  readonly first: EpochMs;
  readonly now: EpochMs;
  readonly nodes: readonly NodeSpan[];
  readonly series: SeriesView;
  readonly events: readonly EventView[];
  /** Steps after `now`, the earliest first. */
  readonly planned: readonly PlannedStep[];
  readonly churn: ChurnView;
}

/** The pods that were evicted in a window, and the lives of the nodes that went in it. */
export interface ChurnView {
  readonly evictions: number;
  /** `undefined` while no pod has run. */
  readonly evictionsPerPodDay?: number;
  /** The lifetimes of the nodes that went in the window; `undefined` if none did. */
  readonly lifetimeMs?: { readonly p50: number; readonly p10: number };
}
