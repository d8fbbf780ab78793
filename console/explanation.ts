import type { CapacityType } from '../shared/model/offerings/instance-type.ts';
import type { EpochMs } from '../shared/model/time.ts';
import type { ProposedFix } from './screen-views.ts';
import type { DecisionView, ObjectRef } from './views.ts';

/** A sentence and the objects in it that the page can open. */
export interface Sentence {
  readonly text: string;
  readonly objects: readonly ObjectRef[];
}

export interface FunnelRow {
  readonly label: string;
  readonly count: number;
}

export interface PhaseRow {
  readonly label: string;
  /** Undefined if the phase was not reached. */
  readonly at?: EpochMs;
}

export interface ShareRow {
  readonly label: string;
  readonly share: number;
  readonly hourlyUsd?: number;
}

export interface WorkloadRow {
  readonly namespace: string;
  readonly workload: string;
  readonly pods: number;
  readonly cpuMilli: number;
  readonly memoryMib: number;
}

export interface ReasonRow {
  readonly subject: string;
  readonly object?: ObjectRef;
  readonly texts: readonly string[];
}

export interface OfferingRow {
  readonly text: string;
  readonly capacityType: CapacityType;
  readonly zone: string;
  readonly hourlyUsd: number;
}

export type Evidence = { readonly title: string } & (
  | { readonly kind: 'text'; readonly sentences: readonly Sentence[] }
  | { readonly kind: 'funnel'; readonly rows: readonly FunnelRow[] }
  | { readonly kind: 'reasons'; readonly rows: readonly ReasonRow[]; readonly more?: string }
  | { readonly kind: 'phases'; readonly rows: readonly PhaseRow[] }
  | { readonly kind: 'workloads'; readonly rows: readonly WorkloadRow[] }
  | { readonly kind: 'shares'; readonly rows: readonly ShareRow[] }
  | { readonly kind: 'offerings'; readonly rows: readonly OfferingRow[] }
);

export interface FixRow {
  readonly text: string;
  /** A kubectl command or YAML to copy. */
  readonly patch?: string;
  /** The NodePool with the change, to plan with; undefined for changes of other objects. */
  readonly manifest?: string;
  /** The change of another object, to plan with; undefined if it cannot be planned. */
  readonly fix?: ProposedFix;
}

/** The answer to a question about an object, taken from the recorded decision. */
export interface Explanation {
  readonly subject: ObjectRef;
  readonly question: string;
  readonly facts: readonly string[];
  readonly verdict: Sentence;
  readonly tone: 'calm' | 'warn' | 'bad';
  /** A duration that completes the verdict. */
  readonly until?: EpochMs;
  /** Changes that help, best first; each was tried before it is shown. */
  readonly fixes?: readonly FixRow[];
  readonly evidence: readonly Evidence[];
  readonly decision?: DecisionView;
  /** When the object was first missing; undefined while it exists. */
  readonly goneAt?: EpochMs;
}
