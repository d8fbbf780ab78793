import type { CapacityType } from '../shared/model/offerings/instance-type.ts';
import type { WorkloadRef } from '../shared/model/pods/workload.ts';
import type { EpochMs } from '../shared/model/time.ts';
import type {
  CostGrouping,
  CostHistoryView,
  CostView,
  ExplanationView,
  PoolsView,
  WhatIfOptions,
  WhatIfRequest,
  WhatIfView,
} from './screen-views.ts';
import type { SeriesView, TimelineView } from './timeline-views.ts';
import type { ClockView, DecisionView, EventView, ObjectRef, StateView } from './views.ts';

/** The speed of the playground's time. */
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

export interface ZoneLossRequest {
  readonly zone: string;
  readonly forMs: number;
}

export interface ExportedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Actions that the user may take on the cluster, in the playground only. */
export interface PlayActions {
  clock(request: ClockRequest): void;
  /**
   * @throws UnknownObjectError - the workload does not exist
   */
  scale(request: ScaleRequest): void;
  /**
   * @throws UnknownObjectError - the node does not exist
   */
  interrupt(request: InterruptRequest): void | Promise<void>;
  shortage(request: ShortageRequest): void;
  /** Pauses after the next decision. */
  step(): void;
  multiplySpotPrices(request: { readonly factor: number }): void;
  loseZone(request: ZoneLossRequest): void;
  /**
   * Changes the template of a NodePool, so that its nodes drift.
   *
   * @throws UnknownObjectError - the NodePool does not exist
   */
  drift(request: { readonly pool: string }): void;
  /** Starts anew; the server is closed and opened again at the same address. */
  reset(request: { readonly seed?: number }): void;
  /** The cluster as `mortise replay` and `mortise console --from` read it. */
  exportSnapshot(): Promise<ExportedFile>;
  /** Lets the script of the demo play again after an action of the user stopped it. */
  continueDemo(): void;
}

/** The data source of the page: a simulated cluster, a real one, or a record. */
export interface ConsoleSource {
  /**
   * @param at - a moment of the past; the nearest earlier state that was kept is returned
   */
  state(at?: EpochMs): Promise<StateView>;
  /** Cheap: the page calls it often to advance its clock while nothing changes. */
  clock(): ClockView;
  /** Events after `seq`, oldest first; only the newest if many were missed. */
  events(afterSeq: number): readonly EventView[];
  /** Decisions since `since`, oldest first. */
  decisions(since: number): readonly DecisionView[];
  /**
   * Undefined if there is no such object, and was none as far back as the history goes.
   *
   * @param at - a moment of the past
   */
  explain(object: ObjectRef, at?: EpochMs): Promise<ExplanationView | undefined>;
  series(): SeriesView;
  /**
   * @param at - a moment of the past
   */
  cost(at?: EpochMs): Promise<CostView>;
  costHistory(by: CostGrouping, window: { readonly from: EpochMs; readonly to: EpochMs }): CostHistoryView;
  /**
   * @param at - a moment of the past
   */
  pools(at?: EpochMs): Promise<PoolsView>;
  /**
   * The parts of a snapshot that the user may change.
   *
   * @param at - a moment of the past
   */
  whatIfOptions(at?: EpochMs): Promise<WhatIfOptions>;
  /**
   * Plans a changed copy of a snapshot; the cluster itself stays as it is.
   *
   * @param at - a moment of the past
   */
  whatIf(request: WhatIfRequest, at?: EpochMs): Promise<WhatIfView>;
  timeline(window: { readonly from: EpochMs; readonly to: EpochMs }): TimelineView;
  /** Calls the listener after each change of the state; returns a function that removes it. */
  onChange(listener: () => void): () => void;
  readonly play?: PlayActions;
}
