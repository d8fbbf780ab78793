import type { Labels } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { podKey } from '../../model/pods/pod.ts';
import type { Storage } from '../../model/pods/storage.ts';
import type { PodDisruptionBudget, Workload, WorkloadRef } from '../../model/pods/workload.ts';
import type { EpochMs } from '../../model/time.ts';
import type { SimObjectStore } from './object-store.ts';
import { createSimObjectStore } from './object-store.ts';
import { createPodStore, createSimPodClasses, type PodStore, type SimPodClasses } from './pod-store.ts';
import { createStorageStore, type StorageStore } from './storage-store.ts';

/** Everything that the simulated cluster stores, by kind. */
export interface ApiServer {
  readonly classes: SimPodClasses;
  readonly pods: PodStore;
  readonly nodes: SimObjectStore<Node>;
  readonly workloads: SimObjectStore<Workload>;
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  /** NodeClaim objects, as kubectl shows them. */
  readonly nodeClaims: SimObjectStore<NodeClaim>;
  readonly pools: readonly NodePool[];
  /** Puts the pool in the place of the one of its name. */
  replacePool(pool: NodePool): void;
  readonly namespaces: Readonly<Record<string, Labels>>;
  readonly storage: StorageStore;
}

export interface FixedObjects {
  readonly pools: readonly NodePool[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  readonly namespaces: Readonly<Record<string, Labels>>;
  /** `undefined` if it is unknown: volumes then count as reachable from every node. */
  readonly storage?: Storage | undefined;
  /** Where volumes can be made. Default: nowhere but with a pod. */
  readonly zones?: readonly string[];
}

export function createApiServer({ pools: initialPools, storage, zones = [], ...fixed }: FixedObjects): ApiServer {
  const classes = createSimPodClasses();
  let pools = initialPools;
  return {
    classes,
    pods: createPodStore(classes),
    nodes: createSimObjectStore(),
    workloads: createSimObjectStore(),
    nodeClaims: createSimObjectStore(),
    storage: createStorageStore(storage, zones),
    ...fixed,
    get pools() {
      return pools;
    },
    replacePool(pool) {
      pools = pools.map((one) => (one.name === pool.name ? pool : one));
    },
  };
}

/** A key such as `Deployment shop/web`. */
export const workloadKey = ({ kind, namespace, name }: WorkloadRef): string => `${kind} ${namespace}/${name}`;

/** The stored pod; `undefined` if it was deleted or another pod has its name now. */
export function findCurrentPod(pods: PodStore, { namespace, name, uid }: Pod): Pod | undefined {
  const stored = pods.get(podKey({ namespace, name }));
  return stored?.uid === uid ? stored : undefined;
}

export const putPod = (pods: PodStore, pod: Pod): void => pods.put(podKey(pod), pod);

/**
 * Sets the deletion timestamp or moves it forward. Removes the pod at once if it has no grace
 * period or no node.
 */
export function terminatePod(pods: PodStore, pod: Pod, now: EpochMs, graceMs: number): void {
  const deletionAt = Math.min(pod.deletionAt ?? Number.POSITIVE_INFINITY, now + graceMs);
  if (pod.nodeName === undefined || graceMs <= 0) pods.remove(podKey(pod));
  else if (deletionAt !== pod.deletionAt) putPod(pods, { ...pod, deletionAt });
}
