import type { CapacityType } from '../shared/model/offerings/instance-type.ts';
import type { Workload } from '../shared/model/pods/workload.ts';
import type { EpochMs } from '../shared/model/time.ts';

/** The resources that the page shows. */
export interface Amounts {
  readonly cpuMilli: number;
  readonly memoryMib: number;
  readonly gpu: number;
  readonly pods: number;
}

export const NODE_STATES = [
  'starting',
  'registered',
  'ready',
  'empty',
  'drifted',
  'held',
  'draining',
  'interrupted',
  'not-ready',
  'not-ours',
] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** A text that a clock may complete: "ready in about" + 22 s. */
export interface Note {
  readonly text: string;
  readonly until?: EpochMs;
}

export interface NodeView {
  /** Name of the NodeClaim, or of a Node that is not ours. */
  readonly name: string;
  /** Name of the Kubernetes Node, once it exists. */
  readonly node?: string;
  readonly pool?: string;
  readonly nodeClass?: string;
  readonly instanceType: string;
  readonly arch?: string;
  readonly zone: string;
  /** Undefined until EC2 has answered, and for nodes that are not ours. */
  readonly capacityType?: CapacityType;
  readonly hourlyUsd?: number;
  readonly vcpu: number;
  readonly allocatable: Amounts;
  /** Includes DaemonSet pods. */
  readonly requested: Amounts;
  readonly daemon: Amounts;
  readonly bornAt: EpochMs;
  readonly state: NodeState;
  readonly stateSince: EpochMs;
  readonly note?: Note;
  /** Sentences that explain why the node may not be disrupted. */
  readonly holds: readonly string[];
}

/** `starting`: bound, containers not running yet. `leaving`: evicted, in its grace period. */
export type PodState = 'pending' | 'starting' | 'running' | 'leaving';

export interface PodView {
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** Name of the Deployment, StatefulSet, Job or DaemonSet; the pod's own name without an owner. */
  readonly workload: string;
  readonly requests: Amounts;
  /** Name of the NodeView that the pod is bound to. */
  readonly node?: string;
  /** Name of the NodeView that a decision chose for the pod. */
  readonly nominated?: string;
  readonly state: PodState;
  readonly since: EpochMs;
  readonly daemon: boolean;
}

/** `held`: no planner looks at the pods. */
export type PendingStatus = 'starting' | 'fits' | 'blocked' | 'held' | 'deciding';

/** Pending pods with the same cause. */
export interface PendingGroup {
  readonly id: string;
  /** `shop/web ×6, search ×5`. */
  readonly title: string;
  readonly status: PendingStatus;
  /** The reason in one line. */
  readonly line: Note;
  readonly pods: readonly string[];
  readonly since: EpochMs;
  /** Nodes that the reason names. */
  readonly nodes: readonly string[];
}

export type CostByCapacity = Readonly<Record<CapacityType, number>>;

export interface LowerBound {
  readonly hourlyUsd: number;
  /** The cost of the nodes that the bound is about. */
  readonly costUsd?: number;
  readonly text: string;
  /** Why the cluster costs more; the parts add up to the difference. */
  readonly parts?: readonly BoundPart[];
}

export interface BoundPart {
  readonly label: string;
  readonly hourlyUsd: number;
}

export interface TotalsView {
  readonly nodes: CostByCapacity;
  readonly startingNodes: number;
  readonly runningPods: number;
  readonly pendingPods: number;
  readonly oldestPendingSince?: EpochMs;
  readonly requested: Amounts;
  readonly allocatable: Amounts;
  readonly hourlyUsd: CostByCapacity;
  readonly monthlyUsd: number;
  readonly spentUsd?: number;
  readonly bound?: LowerBound;
  readonly wait?: { readonly p50Ms: number; readonly p99Ms: number; readonly pods: number };
  readonly disruptions: DisruptionsView;
}

/** Disruption budgets of all NodePools together. */
export interface DisruptionsView {
  readonly allowed: number;
  readonly inProgress: number;
  /** A notice, such as the next window or a pool that forbids all disruption. */
  readonly text: string;
}

export interface ClockView {
  readonly now: EpochMs;
  readonly speed: number | 'max';
  readonly paused: boolean;
  /** Since when the API server does not answer; the page shows the last known state. */
  readonly lostSince?: EpochMs;
}

export interface InfoView {
  /** Changes with each start of the server; a page of an earlier start reloads. */
  readonly instance: string;
  readonly source: 'playground' | 'live' | 'snapshot';
  readonly cluster: string;
  readonly region: string;
  /** Seed of the simulation, to repeat a run. */
  readonly seed?: number;
}

export interface WorkloadView {
  readonly kind: Workload['kind'];
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
}

/** The most pods of a workload that a user may ask for. */
export const MAX_REPLICAS = 10_000;

/** The user actions of the playground. Outside of it `undefined`, and the page hides the buttons. */
export interface PlaygroundView {
  readonly workloads: readonly WorkloadView[];
  readonly zones: readonly string[];
  readonly instanceTypes: readonly string[];
  readonly pools: readonly string[];
  readonly demo?: DemoView;
}

/** The script of the playground's demo. */
export interface DemoView {
  /** A sentence about the current scene. */
  readonly caption: string;
  /** True after an action of the user. */
  readonly isStopped: boolean;
}

/** An offering without capacity. */
export interface UnavailableView {
  readonly text: string;
  readonly until: EpochMs;
}

export const OBJECT_KINDS = ['pod', 'node', 'nodepool', 'decision'] as const;

/** An object that the page can explain. */
export interface ObjectRef {
  readonly kind: (typeof OBJECT_KINDS)[number];
  /** `namespace/name` of a pod, id of a decision. */
  readonly name: string;
}

export type EventTone = 'good' | 'change' | 'warn' | 'bad' | 'you';

export interface EventView {
  readonly seq: number;
  readonly at: EpochMs;
  readonly kind: string;
  readonly tone: EventTone;
  readonly objects: readonly ObjectRef[];
  readonly text: string;
  /** Earlier events of the same cause, which this one contains. */
  readonly replaces?: readonly number[];
}

export interface DecisionView {
  readonly id: string;
  readonly at: EpochMs;
  readonly kind: 'provisioning' | 'disruption';
  /** `2 nodes are launched for 9 pods`. */
  readonly text: string;
  /** True if it launches, removes or replaces nodes. */
  readonly acts: boolean;
}

/** A removal or replacement that the planner would do now, in a cluster that others scale. */
export interface ProposalView {
  /** `Remove 3 nodes, launch 1`. */
  readonly text: string;
  readonly nodes: readonly string[];
  readonly savingHourlyUsd: number;
}

/** The complete state; all parts belong to the same instant. */
export interface StateView {
  readonly info: InfoView;
  readonly clock: ClockView;
  readonly totals: TotalsView;
  readonly nodes: readonly NodeView[];
  readonly pods: readonly PodView[];
  readonly pending: readonly PendingGroup[];
  /** Namespaces by requested share, largest first; the first six get a colour. */
  readonly namespaces: readonly string[];
  /** Sentences about what could not be read, and what is unknown because of it. */
  readonly notices?: readonly string[];
  readonly proposal?: ProposalView;
  readonly play?: PlaygroundView;
}

/** A keyframe in its wire format. */
export interface Keyframe extends StateView {
  readonly events: readonly EventView[];
}

/** Changes since the last message; missing parts did not change. */
export interface PatchView {
  readonly at: EpochMs;
  readonly nodes?: Change<NodeView>;
  readonly pods?: Change<PodView>;
  readonly pending?: readonly PendingGroup[];
  readonly totals?: TotalsView;
  readonly namespaces?: readonly string[];
  readonly notices?: readonly string[];
  /** `null` if there is none any more. */
  readonly proposal?: ProposalView | null;
  readonly play?: PlaygroundView;
}

export interface Change<T> {
  readonly upserts: readonly T[];
  /** Names of nodes, keys of pods. */
  readonly removals: readonly string[];
}
