import type { LimitInUse } from '../shared/explain/explain-node-pool.ts';
import type { ExplainedFix, Explanation } from '../shared/explain/explanation.ts';
import type { EpochMs } from '../shared/model/time.ts';
import type { Amounts, DecisionView, LowerBound, ObjectRef, UnavailableView } from './views.ts';

export const COST_GROUPINGS = ['capacity', 'pool', 'namespace', 'workload'] as const;
export type CostGrouping = (typeof COST_GROUPINGS)[number];

/** A part of the cost of all nodes. */
export interface CostRow {
  readonly name: string;
  /** `undefined` where pods share nodes. */
  readonly nodes?: number;
  readonly pods: number;
  readonly hourlyUsd: number;
  /** The same with every spot node at its on-demand price. */
  readonly onDemandHourlyUsd: number;
  /** The part of `hourlyUsd` that no pod requests; `undefined` where pods share nodes. */
  readonly freeHourlyUsd?: number;
}

/** Reserved capacity of EC2, which costs the same whether instances use it or not. */
export interface ReservationRow {
  /** `cr-…`. */
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  /** Nodes of this cluster in it. */
  readonly used: number;
  /** Instances that still fit. */
  readonly idle: number;
  /** Instance hours since the history began. */
  readonly usedHours: number;
  readonly idleHours: number;
  /** The price of the idle instances on demand; undefined if that price is not known. */
  readonly idleHourlyUsd?: number;
}

/** The cost of one instant. The rows of each grouping add up to the total. */
export interface CostView {
  readonly at: EpochMs;
  readonly total: CostRow;
  readonly groups: Readonly<Record<CostGrouping, readonly CostRow[]>>;
  readonly bound?: LowerBound;
  readonly reservations: readonly ReservationRow[];
  /** Since when the hours of the reservations are counted. */
  readonly reservationsSince?: EpochMs;
  /** Sentences about what the numbers include and what they do not. */
  readonly notes: readonly string[];
}

/** The cost over time, by one grouping. */
export interface CostHistoryView {
  /** The groups, the largest first; the free room and the others are last. */
  readonly names: readonly string[];
  /** Each holds until the next one. */
  readonly points: readonly CostHistoryPoint[];
}

export interface CostHistoryPoint {
  readonly at: EpochMs;
  /** In the order of the names. */
  readonly hourlyUsd: readonly number[];
  readonly boundHourlyUsd?: number;
}

/** A time in which the disruption budgets of a NodePool allow the same number of nodes. */
export interface BudgetStretch {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** `undefined` if no budget limits it. */
  readonly nodes?: number;
}

export interface BudgetRow {
  readonly reason: string;
  readonly stretches: readonly BudgetStretch[];
}

/** The AWS resources that an EC2NodeClass has found. */
export interface NodeClassView {
  readonly images: readonly { readonly id: string; readonly name: string }[];
  readonly subnets: readonly SubnetView[];
}

export interface SubnetView {
  readonly id: string;
  readonly zone: string;
  /** Undefined if EC2 could not be asked. */
  readonly freeAddresses?: number;
}

export interface PoolView {
  readonly name: string;
  readonly weight: number;
  readonly nodeClass: string;
  /** Undefined if it was not read, as in the playground. */
  readonly resources?: NodeClassView;
  /** Number of nodes of a static pool. */
  readonly replicas?: number;
  /** Why it launches nothing. */
  readonly notReady?: string;
  readonly requirements: readonly string[];
  readonly nodes: number;
  readonly hourlyUsd: number;
  readonly requested: Amounts;
  readonly allocatable: Amounts;
  readonly limits: readonly LimitInUse[];
  readonly budgets: readonly BudgetRow[];
  /** Nodes that are being removed or replaced. */
  readonly inProgress: number;
  /** Drifted nodes and the cause of each. */
  readonly drifted: readonly { readonly node: string; readonly text: string }[];
  /** How far the replacement of the drifted nodes is; `undefined` without any. */
  readonly rollout?: string;
  /** Says if it is in its hours, and its size outside of them; absent if it always works. */
  readonly hours?: string;
  /** vCPUs on demand, and the part that it keeps on demand; absent if it keeps none. */
  readonly onDemand?: string;
  readonly unavailable: readonly UnavailableView[];
}

export interface PoolsView {
  readonly at: EpochMs;
  /** The end of the budgets' stretches. */
  readonly to: EpochMs;
  readonly pools: readonly PoolView[];
}

/** An explanation with what only the page needs. The explanation of a decision has neither outcome nor next step. */
export interface ExplanationView
  extends Pick<Explanation, 'verdict' | 'evidence'>,
    Partial<Pick<Explanation, 'outcome' | 'next' | 'alternative'>> {
  readonly subject: ObjectRef;
  readonly reasons: readonly ReasonView[];
  readonly fixes: readonly FixView[];
  readonly decision?: DecisionView;
  /** Objects that the texts name. */
  readonly objects: readonly ObjectRef[];
  /** Names of other nodes among them, as the map has them. */
  readonly nodes: readonly string[];
  /** When the object was first missing; undefined while it exists. */
  readonly goneAt?: EpochMs;
}

export interface ReasonView {
  /** The NodePool or node that gives the reason; empty for none. */
  readonly object: string;
  readonly code: string;
  readonly text: string;
}

export interface FixView extends Pick<ExplainedFix, 'id' | 'text' | 'patch'> {
  /** The NodePool with the change, to plan with; undefined for changes of other objects. */
  readonly manifest?: string;
  /** True if the change of another object can be planned. */
  readonly isTriable: boolean;
}

/** A change that an explanation of the page proposes. */
export interface ProposedFix {
  /** The object that is explained. */
  readonly object: ObjectRef;
  readonly id: string;
}

/** The changes that the user tries on a snapshot; those that are `undefined` are not made. */
export interface WhatIfRequest {
  /** Manifests of NodePools, workloads and pods. */
  readonly yaml?: string;
  readonly fix?: ProposedFix;
  readonly scale?: {
    readonly namespace: string;
    readonly name: string;
    readonly replicas: number;
  };
  readonly lostZone?: string;
  readonly losesSpot?: boolean;
  readonly spotPriceFactor?: number;
}

/** The parts of the snapshot that the user may change. */
export interface WhatIfOptions {
  readonly workloads: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly pods: number;
  }[];
  readonly zones: readonly string[];
  readonly pools: readonly { readonly name: string; readonly yaml: string }[];
}

export interface WhatIfRow {
  readonly label: string;
  readonly now: string;
  readonly unchanged: string;
  readonly changed: string;
}

/** A list of the result, such as the nodes that are launched. */
export interface WhatIfPart {
  readonly title: string;
  readonly lines: readonly string[];
}

export interface ManifestFault {
  /** Undefined for a fault that is not in the text of the manifests. */
  readonly line?: number;
  readonly text: string;
}

export type WhatIfView =
  | {
      readonly outcome: 'planned';
      readonly at: EpochMs;
      /** The effect of the changes in a sentence or two. */
      readonly summary: string;
      readonly rows: readonly WhatIfRow[];
      readonly parts: readonly WhatIfPart[];
      readonly notes: readonly string[];
      readonly markdown: string;
    }
  | { readonly outcome: 'refused'; readonly faults: readonly ManifestFault[] };
