import type { Reason } from '../model/explanations/reasons.ts';
import type { Fix, FixKind } from '../model/plans.ts';
import type { EpochMs } from '../model/time.ts';

/*
 * An explanation answers one question about one object: why does this pod wait, why is this node
 * still here, what does this NodePool do? It is a pure function of a cluster and of decisions about it. The
 * command and the console only render it, so they give the same answer, now and for a moment that has passed.
 */

export type SubjectKind = 'pod' | 'node' | 'nodeclaim' | 'nodepool';

export interface Subject {
  readonly kind: SubjectKind;
  /** `namespace/name` for a pod. */
  readonly name: string;
}

export type SubjectState =
  /** Pods: no node can run it; a node is under way; it is held back; it runs; it has finished or is
   * being deleted (`leaving`). */
  | 'pending'
  | 'waiting'
  | 'held'
  | 'runs'
  /** Nodes and pods on them. */
  | 'leaving'
  /** Nodes. */
  | 'starting'
  | 'stays'
  | 'goes'
  /** Nodes that no NodePool launched. */
  | 'not-ours'
  /** NodePools. */
  | 'ready'
  | 'not-ready';

/** A reason and the object that gives it: a NodePool, or a node. */
export interface ExplainedReason {
  readonly object: string;
  readonly reason: Reason;
}

export interface Evidence {
  readonly label: string;
  readonly text: string;
  /** The figures of the text, for a drawing; undefined if there is nothing to draw. */
  readonly figures?: Figures;
}

export type Figures =
  /** Offerings that are left after each condition. */
  | { readonly kind: 'funnel'; readonly rows: readonly { readonly label: string; readonly count: number }[] }
  | { readonly kind: 'phases'; readonly rows: readonly Phase[] }
  /** Parts of 1; the last one is unused. */
  | { readonly kind: 'shares'; readonly rows: readonly { readonly label: string; readonly share: number }[] };

export interface Phase {
  readonly label: string;
  readonly at: EpochMs;
}

/** Those that help pods, and those that let a node go. */
export type ExplainedFixKind = FixKind | 'change-pdb' | 'enable-consolidation' | 'raise-budget' | 'remove-annotation';

/** A change that helps. It was tried: with it, the planner decides otherwise. */
export interface ExplainedFix extends Omit<Fix, 'kind'> {
  /** Names the change: the same one has the same id in each explanation of the object. */
  readonly id: string;
  readonly kind: ExplainedFixKind;
  /** `NodePool/general`, `PodDisruptionBudget/web/checkout`. */
  readonly object: string;
  /** The cost per hour; negative for a saving. */
  readonly hourlyUsd: number;
  readonly text: string;
  /** kubectl commands or YAML to copy; undefined if there is nothing to change but to wait. */
  readonly patch?: string;
}

/** A change before it has its id. */
export type FixToName = Omit<ExplainedFix, 'id'>;

export function withFixId(fix: FixToName): ExplainedFix {
  const changes = [fix, ...(fix.and ?? [])];
  return {
    ...fix,
    id: changes.map(({ kind, object, path, key, to }) => [kind, object, path, key, to].join(' ')).join(),
  };
}

export interface Next {
  readonly text: string;
  /** Undefined if it depends on a change. */
  readonly at?: EpochMs;
}

/** The cluster without the node. */
export interface Alternative {
  /** The price of the replacement; 0 if the pods fit on other nodes. */
  readonly hourlyUsd?: number;
  readonly savingHourlyUsd?: number;
  readonly text: string;
}

/** The decision that an explanation is from, or the one whose cluster it describes. */
export interface Basis {
  readonly at: EpochMs;
  readonly text: string;
}

export interface Explanation {
  readonly subject: Subject;
  readonly outcome: SubjectState;
  readonly verdict: string;
  readonly reasons: readonly ExplainedReason[];
  readonly evidence: readonly Evidence[];
  /** Other pods for which the same answer holds; undefined if there are none. */
  readonly equalPods?: readonly string[];
  /** Best first; empty if nothing is wrong or no single change helps. */
  readonly fixes: readonly ExplainedFix[];
  readonly next: Next;
  readonly alternative?: Alternative;
  /** The decision that gave the reasons; undefined if it was made for this explanation. */
  readonly decision?: string;
  /** Undefined without a record. */
  readonly basis?: Basis;
}
