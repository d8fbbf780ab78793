import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Labels } from '../model/labels.ts';
import type { Node } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../model/nodes/node-claim-object.ts';
import type { ExtensionStatus, NodePoolStatus } from '../model/nodes/reported-status.ts';
import type { Pod } from '../model/pods/pod.ts';
import type { AttachedVolume } from '../model/pods/storage.ts';
import type { Taint } from '../model/requirements/taints.ts';
import type { EpochMs } from '../model/time.ts';

/** What the API server holds that a decision reads, all as of one moment: as the snapshot has it. */
export interface ClusterObjects
  extends Pick<
    ClusterSnapshot,
    | 'pods'
    | 'nodes'
    | 'pools'
    | 'daemonSets'
    | 'podDisruptionBudgets'
    | 'owners'
    | 'quotas'
    | 'services'
    | 'overlays'
    | 'buffers'
    | 'devices'
    | 'storage'
    | 'namespaces'
    | 'unreadable'
  > {
  /** Of classes that are ours. What a record says of the same claim goes before it. */
  readonly nodeClaims: readonly NodeClaimObject[];
  /** By Node name: when a pod, not a DaemonSet's, was last bound to, finished on or taken off it. */
  readonly lastPodEventAt?: Readonly<Record<string, EpochMs>>;
}

/** What is read only for who needs it. */
export interface ObservationScope {
  /** Owners of pods, and quotas: each is a request of its own. */
  readonly owners?: boolean;
  /** Services: listed each time. */
  readonly services?: boolean;
  /** What pods with claims of devices hang on: listed each time, where there are such pods. */
  readonly devices?: boolean;
}

/** What to change on a Node; what is not named stays. */
export interface NodeChange {
  readonly labels?: Labels;
  /** Keys that it is to have no longer. */
  readonly withoutLabels?: readonly string[];
  readonly annotations?: Labels;
  /** The whole list. */
  readonly taints?: readonly Taint[];
  /** The whole list. */
  readonly finalizers?: readonly string[];
}

export type EvictionOutcome =
  | { readonly outcome: 'evicted' }
  /** The pod is gone, finished, or another pod under the same name. */
  | { readonly outcome: 'gone' }
  /** The disruption budget does not allow it now. */
  | { readonly outcome: 'refused'; readonly pdb: string };

/** The Kubernetes API server. */
export interface Cluster {
  /** An observation will follow soon: what takes long of it may be done ahead. Never needed. */
  prepare?(): Promise<void>;
  observe(wish?: ObservationScope): Promise<ClusterObjects>;

  /** Shows the claim to kubectl and GitOps tools: a projection of the record. */
  projectNodeClaim(claim: NodeClaim): Promise<void>;
  /** Takes the projection away. No error if there is none. */
  removeNodeClaim(name: string): Promise<void>;
  /** Shows what a NodePool has, and whether it can be used. No error if it is gone. */
  reportNodePool(status: NodePoolStatus): Promise<void>;
  /** Shows what has become of a NodeOverlay or CapacityBuffer. No error if it is gone. */
  reportExtension(status: ExtensionStatus): Promise<void>;

  /**
   * Changes a Node that is still the one that was read.
   *
   * @throws StaleObjectError - somebody else changed it: read again, decide again
   */
  changeNode(node: Node, change: NodeChange): Promise<void>;
  /** Sets the deletion timestamp; the Node goes when its finalizers are gone. No error if absent. */
  deleteNode(name: string): Promise<void>;

  /** Volumes that the Node still holds; what is being detached counts until it is. */
  attachedVolumes(node: string): Promise<readonly AttachedVolume[]>;

  /**
   * Through the eviction API, which keeps PodDisruptionBudgets.
   *
   * @throws PodHeldError - something else keeps this very pod
   */
  evict(pod: Pod): Promise<EvictionOutcome>;
  /**
   * Past every budget; for drains whose deadline has come. No error if absent.
   *
   * @throws PodHeldError - something keeps this very pod
   */
  deletePod(pod: Pod, gracePeriodMs: number): Promise<void>;
}

/** What tells a cluster from a later one of the same name. */
export interface ClusterIdentity {
  /** SHA-256 of its certificate authority, in hex. */
  readonly certificateAuthority: string;
  /** Where AWS has told us; absent for clusters that are not EKS'. */
  readonly arn?: string;
  readonly createdAt?: EpochMs;
}

/** Whose records these are. */
export interface ClusterIdentities {
  /** @returns what the first who asked said; `own`, if nobody has yet */
  remember(own: ClusterIdentity): Promise<ClusterIdentity>;
}

/** The pods that kube-scheduler found no place for, seen from far. */
export interface PendingPods {
  /** A short text that differs if other pods wait; empty if none do. */
  fingerprint(): Promise<string>;
}
