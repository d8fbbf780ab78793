import type { Labels } from './labels.ts';
import type { OwnerReference, PodTemplate } from './pod.ts';
import type { LabelSelector } from './selectors.ts';

interface WorkloadBase {
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Labels;
  readonly template: PodTemplate;
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
