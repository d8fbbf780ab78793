import type { Reason } from './explanations/reasons.ts';
import type { NodeTrouble } from './nodes/node.ts';
import type { NodeClaim } from './nodes/node-claim.ts';
import type { DisruptionReason } from './nodes/node-pool.ts';
import type { Offering } from './offerings/instance-type.ts';
import type { PodKey } from './pods/pod.ts';
import type { Operator } from './requirements/requirement-specs.ts';
import type { EpochMs } from './time.ts';

/** A node to launch, with its pods and the alternatives that were considered. */
export interface PlannedClaim {
  /** Ready to be stored. The plan is complete: no later step decides anything. */
  readonly claim: NodeClaim;
  readonly pods: readonly PodKey[];
  /** Further pods that it has room for; their owner is still creating them. */
  readonly anticipated?: readonly PodKey[];
  /** Placeholder pods of CapacityBuffers that it keeps room for. */
  readonly headroom?: readonly PodKey[];
  /** The cheapest offering of the claim's types. In regions without prices its price is 0. */
  readonly cheapest: Offering;
  /** The cheapest offering of another type, for "next best". */
  readonly nextBest?: Offering;
  /** `undefined` for a replacement of another node, and in regions without prices. */
  readonly choice?: ClaimChoice;
}

/** Why a planned node has its pool, types and zone. */
export interface ClaimChoice {
  /** The weight of its pool. */
  readonly weight: number;
  /**
   * Other pools that could launch one node for all of the pods, highest weight first; at most
   * three.
   */
  readonly pools: readonly {
    readonly pool: string;
    readonly weight: number;
    readonly hourlyUsd: number;
  }[];
  /** The number of the pool's types that suit the pods, and how many of them the claim allows. */
  readonly types: { readonly suiting: number; readonly open: number };
  /** The zones that it may be in, cheapest first. */
  readonly zones: readonly { readonly zone: string; readonly hourlyUsd: number }[];
  /** Topology domains that spread or affinity rules require: a zone, or a value of another key. */
  readonly pinnedTo: readonly string[];
  /** The owner of the share for which the node is on demand; `undefined` if there is none. */
  readonly onDemandFor?: 'NodePool' | 'pods';
  /** The commitment that pays for the node; `undefined` if none does. */
  readonly commitment?: string;
}

/** Pods that fit on an existing node or claim. */
export interface Placement {
  /** The name of the Node, or of the NodeClaim while it has no Node. */
  readonly target: string;
  readonly pods: readonly PodKey[];
  /** Further pods that it has room for; their owner is still creating them. */
  readonly anticipated?: readonly PodKey[];
}

/**
 * The number of offerings that remain after each condition, from all down to those within the
 * pool's limits.
 */
export interface Funnel {
  readonly all: number;
  readonly allowedByPool: number;
  readonly allowedByPod: number;
  readonly fitting: number;
  readonly available: number;
  readonly withinLimits: number;
}

export interface PoolRefusal {
  readonly pool: string;
  readonly reasons: readonly Reason[];
  readonly funnel?: Funnel;
}

export interface NodeRefusal {
  readonly node: string;
  readonly reason: Reason;
}

export type FixKind =
  | 'raise-limit'
  | 'add-toleration'
  | 'reduce-request'
  | 'allow-values'
  | 'lower-min-values'
  | 'drop-requirement'
  | 'rename-label'
  | 'correct-value'
  /** A node selector, or an expression of the required node affinity, that no type for the pods meets. */
  | 'drop-selector'
  | 'add-label'
  | 'create-volume-claim'
  /** A resource that no instance type has is the misspelt name of another. */
  | 'rename-resource'
  /** `path` is that of the constraint. */
  | 'lower-min-domains'
  /** A rule between pods becomes a preference; `path` is that of the rule, `key` its topology key. */
  | 'prefer-rule'
  /** The claim names a StorageClass that does not exist. */
  | 'correct-storage-class'
  /** A field of the EC2NodeClass that says how much its nodes have. */
  | 'change-class'
  /** The field selects nothing, or the object is missing; `to` says what is needed. */
  | 'correct-class'
  /** A NodePool like `from`, but without taints. */
  | 'add-node-pool'
  /** No change is needed: the cause ends at the time `to`. */
  | 'wait';

/** A change of one field of one object. */
export interface FixChange {
  readonly kind: FixKind;
  /** `NodePool/general`, `Deployment/web`. */
  readonly object: string;
  readonly path: string;
  /** The label of the requirement that is changed; `undefined` for other changes. */
  readonly key?: string;
  /** The operator of that requirement. */
  readonly operator?: Operator;
  /** Nodes that drift because of the change; `undefined` if none. */
  readonly replacedNodes?: number;
  /** `undefined` if the field does not exist yet. */
  readonly from?: string;
  readonly to: string;
}

/**
 * A change with which the pods can run. The planner has verified that it places all of them.
 */
export interface Fix extends FixChange {
  /** Further changes that are needed with it, as none helps alone; `undefined` if one is enough. */
  readonly and?: readonly FixChange[];
  /** The nodes that the pods then get: `2 m5.xlarge on-demand`; `undefined` if none are launched. */
  readonly launches?: string;
  /** Kinds of instances that the NodePool may launch only with the change: `arm64`, `burstable`. */
  readonly adds?: readonly string[];
  /** The price of the nodes that the pods then get; 0 if they fit on existing nodes. */
  readonly hourlyUsd: number;
}

/** Equal pods that stay pending for the same reasons. */
export interface Unplaced {
  readonly pods: readonly PodKey[];
  readonly pools: readonly PoolRefusal[];
  /** The nodes that come closest, nearest first; at most ten. */
  readonly nodes: readonly NodeRefusal[];
  /** The change that comes first for an engineer; `undefined` if up to three changes do not help. */
  readonly fix?: Fix;
  /** Other changes that help, best first; `undefined` if there are none. */
  readonly otherFixes?: readonly Fix[];
  /** The pods were not refused: the next plan, which follows at once, places them. */
  readonly waits?: true;
}

/**
 * The cost of a plan's new nodes, and a lower bound for any plan for the same pods, in USD per
 * hour: the optimum of a linear programme in which nodes and pods are divisible, or the exact optimum
 * for pods of one class.
 */
export interface CostBound {
  /** Including the fixed cost of each node. Plans are compared by this price. */
  readonly costUsd: number;
  readonly leastCostUsd: number;
  /** The instances only, like `hourlyUsd` of the plan. */
  readonly leastHourlyUsd: number;
}

export interface ProvisioningPlan {
  readonly claims: readonly PlannedClaim[];
  readonly placements: readonly Placement[];
  readonly unplaced: readonly Unplaced[];
  /**
   * The price of the new claims, each at its cheapest offering, without the fixed cost of a node.
   */
  readonly hourlyUsd: number;
  /** `undefined` if nothing is launched. */
  readonly bound?: CostBound;
}

export const EMPTY_PLAN: ProvisioningPlan = { claims: [], placements: [], unplaced: [], hourlyUsd: 0 };

/** Nodes to remove after their replacements, if any, are initialized. */
export interface DisruptionCommand {
  readonly id: string;
  readonly reason: DisruptionReason;
  readonly decidedAt: EpochMs;
  /** When its execution started; `undefined` for a proposal, which changes nothing yet. */
  readonly validatedAt?: EpochMs;
  /** The names of the claims to remove. */
  readonly candidates: readonly string[];
  readonly replacements: readonly PlannedClaim[];
  /** The nodes that the pods are expected to move to. */
  readonly placements: readonly Placement[];
  readonly savingHourlyUsd: number;
  /** The cost of a consolidation, and when its saving has paid for that; `undefined` for other commands. */
  readonly price?: MovePrice;
  /** The NodePool in whose off hours the nodes go; `undefined` for other commands. */
  readonly offHoursOf?: string;
  /** True if the nodes go before their replacements are launched, so that the plan for their pods comes later. */
  readonly terminatesFirst?: true;
  /** The condition for which an unhealthy node is replaced or rebooted; `undefined` for other commands. */
  readonly repair?: CommandRepair;
}

/** Why an unhealthy node is replaced or rebooted, and how long its drain may take. */
export interface CommandRepair {
  readonly condition: string;
  readonly status: NodeTrouble['status'];
  readonly since: EpochMs;
  readonly drainMs: number;
  /** The node is rebooted in place. */
  readonly reboots?: true;
  /** The reason of the condition of a node that is rebooted. */
  readonly fault?: string;
}

/** The price of a consolidation. */
export interface MovePrice {
  readonly evictions: number;
  readonly costUsd: number;
  readonly paybackMs: number;
}

/** Why a node stays, or what will happen to it. */
export interface NodeVerdict {
  readonly claim: string;
  readonly outcome: 'stays' | 'goes';
  readonly reason: Reason;
  /** When to look at the node again, if that is known. */
  readonly lookAgainAt?: EpochMs;
}

export interface DisruptionPlan {
  readonly command?: DisruptionCommand;
  /** Commands of static pools, which start in addition because they do not conflict with others. */
  readonly more?: readonly DisruptionCommand[];
  readonly verdicts: readonly NodeVerdict[];
  /** Claims of the nodes that their pools could do without, sorted; `undefined` if the settings ignore them. */
  readonly surplus?: readonly string[];
  /** The deletion costs of pods by the claims of their nodes, below 0; `undefined` unless the settings use them. */
  readonly podDeletionCosts?: Readonly<Record<string, number>>;
}

export const listCommands = ({ command, more = [] }: DisruptionPlan): readonly DisruptionCommand[] => [
  ...(command ? [command] : []),
  ...more,
];
