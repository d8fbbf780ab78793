import { ownValue } from '../own-value.ts';
import type { Resources } from '../resources.ts';
import type { PodTemplate } from './pod.ts';

/** The only strategy that is implemented. */
const ACTIVE_CAPACITY = 'buffer.x-k8s.io/active-capacity';

/** Why the pods of a buffer are unknown, as its condition reports it. */
export interface BufferProblem {
  readonly reason: 'PodTemplateNotFound' | 'ScalableRefNotFound' | 'ResolutionFailed';
  readonly message: string;
}

/** A CapacityBuffer with the objects that it refers to. It keeps room for future pods. */
export interface CapacityBuffer {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly strategy: string;
  /** The pod template; `undefined` if there is a `problem`. */
  readonly template?: PodTemplate;
  /** The PodTemplate object, if the buffer names one. */
  readonly templateRef?: { readonly name: string; readonly generation: number };
  readonly replicas?: number;
  /** Percentage of `scale`. */
  readonly percentage?: number;
  /** The replicas of the workload that the buffer refers to. */
  readonly scale?: number;
  /** The most that its pods may request together. */
  readonly limits?: Resources;
  readonly problem?: BufferProblem;
}

/** Protects the planner's memory from a misconfigured buffer. */
const MAX_REPLICAS = 10_000;

/** Computes for how many pods the buffer keeps room: its size, capped by its limits. */
export function computeBufferReplicas(buffer: CapacityBuffer): number {
  const { template, strategy, replicas, percentage } = buffer;
  if (!template || strategy !== ACTIVE_CAPACITY) return 0;
  const limit = countWithinLimits(buffer, template.spec.requests);
  const isSized = replicas !== undefined || percentage !== undefined;
  const requestedReplicas = isSized ? Math.max(replicas ?? 0, computePercentageReplicas(buffer)) : limit;
  const count = Math.min(requestedReplicas, limit);
  return Number.isFinite(count) ? Math.min(count, MAX_REPLICAS) : 0;
}

/**
 * @see Karpenter: a percentage of a workload that has pods is at least one pod
 */
function computePercentageReplicas({ percentage = 0, scale = 0 }: CapacityBuffer): number {
  if (percentage === 0 || scale === 0) return 0;
  return Math.max(1, Math.ceil((scale * percentage) / 100));
}

/** Limits on resources that the pods do not request have no effect. */
function countWithinLimits({ limits = {} }: CapacityBuffer, requests: Resources): number {
  const counts = Object.entries(limits).flatMap(([name, limit]) => {
    const request = ownValue(requests, name) ?? 0;
    return request > 0 ? [Math.floor(limit / request)] : [];
  });
  return Math.min(Infinity, ...counts);
}
