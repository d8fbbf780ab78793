import type { Reason } from './explanations/reasons.ts';
import type { NodeClaim } from './nodes/node-claim.ts';
import type { DisruptionReason } from './nodes/node-pool.ts';
import type { Offering } from './offerings/instance-type.ts';
import type { PodKey } from './pods/pod.ts';
import type { EpochMs } from './time.ts';

/** A node to launch, with what it is for and what it was weighed against. */
export interface PlannedClaim {
  /** Ready to be stored: the plan is complete, no step after it decides anything. */
  readonly claim: NodeClaim;
  readonly pods: readonly PodKey[];
  /** Pods that it has room for beside those: their owner is still creating them. */
  readonly anticipated?: readonly PodKey[];
  /** Pods that stand for the room that CapacityBuffers keep free on it. */
  readonly headroom?: readonly PodKey[];
  /** The cheapest offering among the claim's types. */
  readonly cheapest: Offering;
  /** The cheapest offering of another type, for "next best". */
  readonly nextBest?: Offering;
  /** Absent: it takes the place of another node. */
  readonly choice?: ClaimChoice;
}

/** Why a planned node is of its pool, its types and its zone: what its pods left open. */
export interface ClaimChoice {
  /** Of its pool. */
  readonly weight: number;
  /** Other pools that could launch one node for all of the pods, heaviest first; at most three. */
  readonly pools: readonly {
    readonly pool: string;
    readonly weight: number;
    readonly hourlyUsd: number;
  }[];
  /** How many types of the pool suit the pods, and how many of those the claim leaves open. */
  readonly types: { readonly suiting: number; readonly open: number };
  /** Zones that it may be in, cheapest first. */
  readonly zones: readonly { readonly zone: string; readonly hourlyUsd: number }[];
  /** Domains that were chosen for rules between pods: a zone, a value of another key. */
  readonly pinnedTo: readonly string[];
}

/** Pods that fit on a node or claim that exists. */
export interface Placement {
  /** Name of the Node, or of the NodeClaim while it has no Node. */
  readonly target: string;
  readonly pods: readonly PodKey[];
  /** Pods that it has room for beside those: their owner is still creating them. */
  readonly anticipated?: readonly PodKey[];
}

/** How many offerings are left after each condition, from all to those within the pool's limits. */
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

/** The smallest change that lets the pods run: the decision, made again with it, placed them all. */
export interface Fix {
  readonly kind:
    | 'raise-limit'
    | 'add-toleration'
    | 'allow-values'
    | 'lower-min-values'
    | 'drop-requirement'
    | 'rename-label'
    | 'add-label'
    | 'create-volume-claim'
    /** Nothing is to be changed: it passes at the instant `to`. */
    | 'wait';
  /** `NodePool/general`, `Deployment/web`. */
  readonly object: string;
  readonly path: string;
  /** Absent: the field is not there yet. */
  readonly from?: string;
  readonly to: string;
  /** What the nodes cost that the pods then get; 0 if they fit on those that run. */
  readonly hourlyUsd: number;
}

/** Equal pods that stay pending for the same causes. */
export interface Unplaced {
  readonly pods: readonly PodKey[];
  readonly pools: readonly PoolRefusal[];
  /** The nodes that come closest, nearest first; at most ten. */
  readonly nodes: readonly NodeRefusal[];
  /** Absent: no single change helps. */
  readonly fix?: Fix;
  /** Not refused: left to the next plan, which follows at once. */
  readonly waits?: true;
}

/**
 * What a plan's new nodes cost, and what no other plan for the same pods undercuts, in USD per hour:
 * the optimum of a linear programme in which nodes and pods can be divided.
 */
export interface CostBound {
  /** With what each node costs beside its instance: plans are compared by this. */
  readonly costUsd: number;
  readonly leastCostUsd: number;
  /** The same for the instances alone, as `hourlyUsd` is of the plan. */
  readonly leastHourlyUsd: number;
}

export interface ProvisioningPlan {
  readonly claims: readonly PlannedClaim[];
  readonly placements: readonly Placement[];
  readonly unplaced: readonly Unplaced[];
  /** Of the new claims, each at its cheapest offering; what nodes cost beside that is left out. */
  readonly hourlyUsd: number;
  /** Absent: nothing is launched. */
  readonly bound?: CostBound;
}

/** Nodes to remove, after their replacement (if any) is initialized. */
export interface DisruptionCommand {
  readonly id: string;
  readonly reason: DisruptionReason;
  readonly decidedAt: EpochMs;
  /** Since when it is carried out; absent: a proposal, which changes nothing yet. */
  readonly validatedAt?: EpochMs;
  /** Names of the claims to remove. */
  readonly candidates: readonly string[];
  readonly replacements: readonly PlannedClaim[];
  /** Where the pods are expected to go. */
  readonly placements: readonly Placement[];
  readonly savingHourlyUsd: number;
}

/** Why a node stays, or what is to happen to it. */
export interface NodeVerdict {
  readonly claim: string;
  readonly outcome: 'stays' | 'goes';
  readonly reason: Reason;
  /** When it is worth looking again, where that is known. */
  readonly lookAgainAt?: EpochMs;
}

export interface DisruptionPlan {
  readonly command?: DisruptionCommand;
  /** Begin beside it: of static pools, whose nodes are in nobody's way. Absent: none. */
  readonly more?: readonly DisruptionCommand[];
  readonly verdicts: readonly NodeVerdict[];
}
