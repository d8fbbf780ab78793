import type { Labels } from '../labels.ts';
import type { LabelSelector } from '../requirements/selectors.ts';
import type { Resources } from '../resources.ts';
import type { OwnerReference, PodTemplate } from './pod.ts';

interface WorkloadBase {
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Labels;
  readonly template: PodTemplate;
}

/** Names a workload. */
export interface WorkloadRef {
  readonly kind: Workload['kind'];
  readonly namespace: string;
  readonly name: string;
}

export interface Deployment extends WorkloadBase {
  readonly kind: 'Deployment';
  readonly replicas: number;
}

export interface StatefulSet extends WorkloadBase {
  readonly kind: 'StatefulSet';
  readonly replicas: number;
  /** `undefined` if its pods have no volumes of their own. */
  readonly volumeClaimTemplates?: readonly VolumeClaimTemplate[];
}

/** A volume that each pod of a StatefulSet has for itself: its claim is named `<name>-<pod>`. */
export interface VolumeClaimTemplate {
  readonly name: string;
  /** Empty for no class; `undefined` for the default class. */
  readonly storageClass?: string;
  readonly oncePod?: true;
}

export interface DaemonSet extends WorkloadBase {
  readonly kind: 'DaemonSet';
}

export interface Job extends WorkloadBase {
  readonly kind: 'Job';
  readonly completions: number;
  readonly parallelism: number;
  /** How long a simulated pod runs until it succeeds, if the manifest says so. */
  readonly runForMs?: number;
}

export type Workload = Deployment | StatefulSet | DaemonSet | Job;

/** A Service, of which only the selector matters. Services without one are left out. */
export interface Service {
  readonly namespace: string;
  readonly name: string;
  readonly selector: Labels;
}

export interface PodDisruptionBudget {
  readonly namespace: string;
  readonly name: string;
  readonly selector?: LabelSelector;
  /** A number or a percentage, as written; at most one of the two is set. */
  readonly minAvailable?: string;
  readonly maxUnavailable?: string;
  readonly unhealthyPodEvictionPolicy: 'IfHealthyBudget' | 'AlwaysAllow';
  /** `status.disruptionsAllowed`. */
  readonly disruptionsAllowed: number;
  /** `status.currentHealthy`: ready pods that are not being deleted. */
  readonly currentHealthy: number;
  /** `status.desiredHealthy`: the minimum of them. */
  readonly desiredHealthy: number;
  /** `status.expectedPods`: its pods, or the replicas of their owners. */
  readonly expectedPods: number;
}

/** The result that a restart of the Deployment of some pods would have. */
export interface OwnerRestart {
  /** The uid of the pods' owner: the ReplicaSet of a Deployment. */
  readonly owner: string;
  readonly replicas: number;
  /** The number of pods that its rollout may run besides its replicas. */
  readonly surge: number;
  /** Why it cannot be restarted now; `undefined` if it can. */
  readonly obstacle?: string;
}

export const isDaemon = ({ owner }: { owner?: OwnerReference }): boolean => owner?.kind === 'DaemonSet';

/**
 * The name of the pod's Deployment, StatefulSet, Job or DaemonSet; its own name without an owner. A
 * ReplicaSet's name is its Deployment's with a hash.
 */
export function workloadNameOf({ owner, name }: { readonly owner?: OwnerReference; readonly name: string }): string {
  if (owner === undefined) return name;
  return owner.kind === 'ReplicaSet' ? owner.name.replace(/-[a-z0-9]{5,10}$/, '') : owner.name;
}

/** The controller of a set of equal pods. */
export interface PodOwner {
  readonly kind: 'ReplicaSet' | 'Job' | 'StatefulSet';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The number of pods that the owner keeps running at a time. */
  readonly desiredPods: number;
  /** `one-by-one`: each pod is created when the one before is ready. */
  readonly creates: 'at-once' | 'one-by-one';
  /** True if it reports that pods cannot be created or fail. */
  readonly isFailing: boolean;
}

/** The amounts that a ResourceQuota still allows in a namespace. */
export interface QuotaRoom {
  readonly namespace: string;
  readonly name: string;
  /** By resource name, including `pods`. A resource that is absent is not bounded. */
  readonly free: Resources;
  /** True if the quota also bounds things that snapshots do not contain, such as limits. */
  readonly isPartlyKnown: boolean;
}
