import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Labels } from '../model/labels.ts';
import type { Node, NodeIdentity } from '../model/nodes/node.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../model/nodes/node-claim-object.ts';
import type { NodeClassReadiness } from '../model/nodes/node-class.ts';
import type { ExtensionStatus, NodePoolStatus } from '../model/nodes/reported-status.ts';
import type { Pod } from '../model/pods/pod.ts';
import type { AttachedVolume } from '../model/pods/storage.ts';
import type { OwnerRestart } from '../model/pods/workload.ts';
import type { Taint } from '../model/requirements/taints.ts';
import type { EpochMs } from '../model/time.ts';

/** The objects of the API server that a decision reads, all as of one moment. */
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
  /** NodeClaims of our NodeClasses. If the record of a claim differs, the record counts. */
  readonly nodeClaims: readonly NodeClaimObject[];
  /** `undefined` if the runtime has no EC2NodeClass objects; every class then counts as ready. */
  readonly nodeClassReadiness?: readonly NodeClassReadiness[];
  /**
   * By Node name: the last time at which a pod was bound to it, finished on it or was removed from
   * it. Pods of DaemonSets do not count.
   */
  readonly lastPodEventAt?: Readonly<Record<string, EpochMs>>;
}

/** Parts of an observation that cost requests of their own and that only some callers need. */
export interface ObservationScope {
  /** Owners of pods, and ResourceQuotas: one request for each. */
  readonly owners?: boolean;
  /** Services: one list request for each observation. */
  readonly services?: boolean;
  /** ResourceClaims, ResourceSlices and their like: listed only if pods claim devices. */
  readonly devices?: boolean;
}

/** The claim whose objects are read, as far as it is known yet. */
export interface ClaimQuery {
  readonly claim: string;
  /** Where its instance runs, and the Node that it registered as. */
  readonly instance?: {
    readonly providerId: string;
    readonly instanceType?: string;
    readonly zone?: string;
    readonly nodeName?: string;
  };
  /** Also the budgets, if there are pods on its Nodes. */
  readonly budgets?: boolean;
  /** Also ResourceClaims, ResourceSlices and their like. */
  readonly devices?: boolean;
}

/** The objects that the next step of one claim reads. Others of their kinds may be missing. */
export type ClaimObjects = Pick<
  ClusterObjects,
  | 'pods'
  | 'nodes'
  | 'nodeClaims'
  | 'pools'
  | 'nodeClassReadiness'
  | 'podDisruptionBudgets'
  | 'lastPodEventAt'
  | 'devices'
  | 'unreadable'
>;

/** The changes to make on a Node. A field that is `undefined` stays as it is. */
export interface NodeChange {
  readonly labels?: Labels;
  /** Label keys to remove. */
  readonly withoutLabels?: readonly string[];
  readonly annotations?: Labels;
  /** The complete list. */
  readonly taints?: readonly Taint[];
  /** The complete list. */
  readonly finalizers?: readonly string[];
}

/** Returns `undefined` if there is no record. */
export type ReadLatestClaim = () => Promise<NodeClaim | undefined>;

export type EvictionOutcome =
  | { readonly outcome: 'evicted' }
  /** The pod is gone, has finished, or was replaced by another pod of the same name. */
  | { readonly outcome: 'gone' }
  /** The PodDisruptionBudget does not allow the eviction now. */
  | { readonly outcome: 'refused'; readonly pdb: string };

export type RestartOutcome =
  | { readonly outcome: 'restarted'; readonly deployment: string }
  /** The pod is being replaced already, or its owner is gone. */
  | { readonly outcome: 'under-way' }
  | { readonly outcome: 'refused'; readonly why: string };

/**
 * `gone`: also replaced by another pod of the same name. `forbidden`: we lack the right to patch pods. `limited`: nothing
 * was sent, because there were too many changes lately.
 */
export type DeletionCostOutcome = 'changed' | 'gone' | 'forbidden' | 'limited';

/** The Kubernetes API server. */
export interface Cluster {
  /** Does slow work for the next observation ahead of time. Calling it is optional. */
  prepare?(): Promise<void>;
  /** Leaves its view of the cluster for the next cold start. Call it when all work is done. */
  storeView?(): Promise<void>;
  /**
   * Closes what must not stay open while the process is frozen: the API server would have to end
   * watches that do not read, and delays all others meanwhile. Call it at the end of an invocation.
   */
  suspend?(): void;
  observe(options?: ObservationScope): Promise<ClusterObjects>;
  /**
   * Reads the Nodes of one claim, the pods on them, its NodeClaim object, and all NodePools and
   * NodeClasses. `undefined` if a whole observation costs no more.
   */
  observeClaim?(query: ClaimQuery): Promise<ClaimObjects>;
  /** Reads the pods on some Nodes. `undefined` if `observeClaim` is. */
  podsOnNodes?(nodes: readonly string[]): Promise<readonly Pod[]>;

  /**
   * Writes the claim's record into its NodeClaim object, for kubectl and GitOps tools. Of several
   * writers, the last one to write always shows the latest record.
   *
   * @param readLatest - reads the record again: another writer may have stored a later one, which
   *   is then written instead
   */
  projectNodeClaim(claim: NodeClaim, readLatest: ReadLatestClaim): Promise<void>;
  /** Writes what the claim waits for on its object. Does nothing if there is no object. */
  showWait(claim: NodeClaim): Promise<void>;
  /** Deletes the NodeClaim object. Does nothing if there is none. */
  removeNodeClaim(name: string): Promise<void>;
  /** Writes the status of a NodePool. Does nothing if the pool is gone. */
  reportNodePool(status: NodePoolStatus): Promise<void>;
  /** Writes the status of a NodeOverlay or CapacityBuffer. Does nothing if it is gone. */
  reportExtension(status: ExtensionStatus): Promise<void>;

  /**
   * Changes a Node if it is unchanged since it was read.
   *
   * @throws StaleObjectError - another writer changed the Node: read it again and decide again
   */
  changeNode(node: Node, change: NodeChange): Promise<void>;
  /**
   * Starts a rolling restart of the Deployment of a pod, as `kubectl rollout restart` does. Does
   * nothing if it would remove a pod before the new one is ready, or if the pod is not of the
   * latest template.
   */
  restartOwner(pod: Pod): Promise<RestartOutcome>;
  /** Finds what `restartOwner` would do for each of these pods, without doing it. */
  findRestarts(pods: readonly Pod[]): Promise<readonly OwnerRestart[]>;
  /**
   * Sets the cost by which a ReplicaSet chooses the pods that it deletes, and marks it as ours;
   * `undefined` removes both. At most one pod is changed in a second on average, and 60 in a row.
   */
  setPodDeletionCost(pod: Pod, cost: number | undefined): Promise<DeletionCostOutcome>;
  /**
   * Sets the deletion timestamp. The Node goes when its finalizers are gone. Does nothing if it is
   * absent, or if its name belongs to another Node by now.
   */
  deleteNode(node: NodeIdentity): Promise<void>;

  /**
   * Lists the volumes that the Node still has attached, including those that are being detached.
   */
  attachedVolumes(node: string): Promise<readonly AttachedVolume[]>;

  /**
   * Evicts through the eviction API, which honours PodDisruptionBudgets.
   *
   * @throws PodHeldError - something other than a budget keeps the pod, for example a webhook
   */
  evict(pod: Pod): Promise<EvictionOutcome>;
  /**
   * Deletes the pod without regard to budgets, for drains whose deadline has come. Does nothing if
   * it is absent.
   *
   * @throws PodHeldError - something keeps the pod, for example a webhook
   */
  deletePod(pod: Pod, gracePeriodMs: number): Promise<void>;
}

/** Distinguishes a cluster from a later cluster of the same name. */
export interface ClusterIdentity {
  /** SHA-256 of the certificate authority, in hexadecimal. */
  readonly certificateAuthority: string;
  /** The ARN; `undefined` if the cluster is not an EKS cluster. */
  readonly arn?: string;
  readonly createdAt?: EpochMs;
}

/** The identity of the cluster that the records in the table belong to. */
export interface ClusterIdentities {
  /**
   * @returns the identity that was stored first; `own` if there was none
   */
  remember(own: ClusterIdentity): Promise<ClusterIdentity>;
}

/** A cheap view of the pods that kube-scheduler could not place. */
export interface PendingPods {
  /**
   * Returns a short text that changes if other pods are pending. It is empty if no pod is pending.
   */
  fingerprint(): Promise<string>;
}
