import type { CapacityType } from '../shared/model/offerings/instance-type.ts';
import type { WorkloadRef } from '../shared/model/pods/workload.ts';
import type { Explanation } from './explanation.ts';
import type {
  ClockView,
  DecisionView,
  EventView,
  ObjectRef,
  SeriesView,
  StateView,
} from './views.ts';

/** How fast the playground's time runs; its loop obeys. */
export interface Pace {
  speed(): number | 'max';
  setSpeed(speed: number | 'max'): void;
  paused(): boolean;
  pause(): void;
  resume(): void;
}

export interface ClockRequest {
  readonly paused?: boolean;
  readonly speed?: number | 'max';
}

export interface ScaleRequest extends WorkloadRef {
  readonly replicas: number;
}

export interface InterruptRequest {
  readonly node: string;
  readonly notice: 'spot-interruption' | 'rebalance-recommendation';
}

export interface ShortageRequest {
  readonly instanceType?: string;
  readonly zone?: string;
  readonly capacityType?: CapacityType;
  readonly forMs: number;
}

/** What a person may do to the cluster on the page: only in the playground. */
export interface PlayActions {
  clock(request: ClockRequest): void;
  /** @throws UnknownObjectError - no such workload */
  scale(request: ScaleRequest): void;
  /** @throws UnknownObjectError - no such node */
  interrupt(request: InterruptRequest): void | Promise<void>;
  shortage(request: ShortageRequest): void;
}

/** Where the page's picture comes from: a simulated cluster, a real one, or a record. */
export interface ConsoleSource {
  state(): Promise<StateView>;
  /** Cheap: asked for often, so that the page's time runs on while nothing changes. */
  clock(): ClockView;
  /** Events after `seq`, oldest first; the newest ones when many were missed. */
  events(afterSeq: number): readonly EventView[];
  /** Decisions not older than `since`, oldest first. */
  decisions(since: number): readonly DecisionView[];
  /** Absent: nothing is known under that name. */
  explain(object: ObjectRef): Promise<Explanation | undefined>;
  series(): SeriesView;
  /** Called after each change of what `state` shows; returns how to stop. */
  onChange(listener: () => void): () => void;
  readonly play?: PlayActions;
}
