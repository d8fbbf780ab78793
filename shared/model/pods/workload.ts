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
}

export interface DaemonSet extends WorkloadBase {
  readonly kind: 'DaemonSet';
}

export interface Job extends WorkloadBase {
  readonly kind: 'Job';
  readonly completions: number;
  readonly parallelism: number;
  /** How long a pod runs until it succeeds, where the manifest tells; the simulation reads it. */
  readonly runForMs?: number;
}

export type Workload = Deployment | StatefulSet | DaemonSet | Job;

/** Whose pods a Service sends to; a Service without a selector is none for planning. */
export interface Service {
  readonly namespace: string;
  readonly name: string;
  readonly selector: Labels;
}

export interface PodDisruptionBudget {
  readonly namespace: string;
  readonly name: string;
  readonly selector?: LabelSelector;
  /** A count or a percentage, as written; one of the two at most. */
  readonly minAvailable?: string;
  readonly maxUnavailable?: string;
  readonly unhealthyPodEvictionPolicy: 'IfHealthyBudget' | 'AlwaysAllow';
  /** `status.disruptionsAllowed`. */
  readonly disruptionsAllowed: number;
  /** `status.currentHealthy` and `status.desiredHealthy`, for the explanation. */
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
}

export const isDaemon = ({ owner }: { owner?: OwnerReference }): boolean =>
  owner?.kind === 'DaemonSet';

/** What keeps a number of equal pods alive. */
export interface PodOwner {
  readonly kind: 'ReplicaSet' | 'Job' | 'StatefulSet';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Pods that it wants to have at a time. */
  readonly wants: number;
  /** `one-by-one`: each when the one before is ready. */
  readonly creates: 'at-once' | 'one-by-one';
  /** It says that pods could not be created, or that they fail. */
  readonly isFailing: boolean;
}

/** What a namespace may still ask for under one of its ResourceQuotas. */
export interface QuotaRoom {
  readonly namespace: string;
  readonly name: string;
  /** By the names that pods request by, `pods` among them; what is absent is not bounded. */
  readonly free: Resources;
  /** It also bounds what is not known of a pod, such as its limits. */
  readonly isPartlyKnown: boolean;
}
