import type { LaunchCap } from '../explanations/events.ts';
import type { RemovalReason } from '../nodes/node-claim.ts';
import type { CapacityType } from '../offerings/instance-type.ts';
import type { PodKey } from '../pods/pod.ts';
import { type EpochMs, formatInstant } from '../time.ts';
import type { PublishedKind } from './kinds.ts';

/** Changes if a field is removed or changes its meaning. Fields may be added at any time. */
export const DETAIL_VERSION = '1';

/** A list of names is cut off here, so that ten events fit into one request (256 KB). */
export const MAX_NAMES = 25;
export const MAX_MESSAGE_LENGTH = 1_024;

export interface DetailFacts {
  readonly version: typeof DETAIL_VERSION;
  readonly cluster: string;
  /** RFC 3339, UTC. */
  readonly at: string;
  /** One sentence for people; its words may change. */
  readonly message: string;
}

interface NamedPods {
  /** The first 25, as `namespace/name`. */
  readonly pods: readonly PodKey[];
  readonly podCount: number;
}

/** EC2 has accepted the launch of an instance. */
export interface NodeLaunchedDetail extends DetailFacts, NamedPods {
  readonly nodeClaim: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly hourlyUsd: number;
  /** The first 25 NodeClaims that it replaces; empty if it replaces none. */
  readonly replaces: readonly string[];
}

export type PublishedDisruption = Extract<
  RemovalReason,
  'Empty' | 'Underutilized' | 'Drifted' | 'Interrupted' | 'Expired' | 'Unhealthy' | 'RegistrationTimeout'
>;

/** A node is going to be removed. */
export interface NodeDisruptedDetail extends DetailFacts {
  readonly nodeClaim: string;
  readonly reason: PublishedDisruption;
  /** The reason of the drift or the interruption, or the condition of an unhealthy node. */
  readonly cause?: string;
  /** RFC 3339, UTC: when EC2 ends the instance. */
  readonly deadline?: string;
}

/** EC2 refuses a launch for a reason other than capacity. The launch is tried again. */
export interface LaunchRefusedDetail extends DetailFacts {
  readonly nodeClaim: string;
  readonly reason: string;
}

/** Mortise can do nothing for these pods at present. */
export interface PodsWaitingDetail extends DetailFacts, NamedPods {
  readonly reason: 'NoNodePoolFits' | 'NodesNotUsed' | 'PlanningFailed';
}

/** A limit of the whole cluster holds launches back. */
export interface CapReachedDetail extends DetailFacts, NamedPods {
  readonly cap: LaunchCap['name'];
  readonly limit: number;
  /** The number of nodes that are held back. */
  readonly nodes: number;
}

/** The first node of a changed EC2NodeClass did not become ready; the old nodes stay. */
export interface RolloutStoppedDetail extends DetailFacts {
  readonly nodeClass: string;
  readonly nodeClaim: string;
}

interface Details {
  readonly NodeLaunched: NodeLaunchedDetail;
  readonly NodeDisrupted: NodeDisruptedDetail;
  readonly LaunchRefused: LaunchRefusedDetail;
  readonly PodsWaiting: PodsWaitingDetail;
  readonly CapReached: CapReachedDetail;
  readonly RolloutStopped: RolloutStoppedDetail;
}

export type DetailOf<K extends PublishedKind> = Details[K];

/** An event for systems outside of the cluster. */
export type PublishedEvent = KindAndDetail & { readonly at: EpochMs };

export type KindAndDetail = {
  readonly [K in PublishedKind]: { readonly kind: K; readonly detail: Details[K] };
}[PublishedKind];

/** An event for each of the nodes. */
export const disrupted = (
  facts: DetailFacts,
  claims: readonly string[],
  { deadline, ...why }: Pick<NodeDisruptedDetail, 'reason' | 'cause'> & { readonly deadline?: EpochMs },
): readonly KindAndDetail[] =>
  claims.map((nodeClaim) => ({
    kind: 'NodeDisrupted',
    detail: { ...facts, nodeClaim, ...why, ...(deadline !== undefined && { deadline: formatInstant(deadline) }) },
  }));

export const namePods = (pods: readonly PodKey[], podCount = pods.length): NamedPods => ({
  pods: pods.slice(0, MAX_NAMES),
  podCount,
});
