import type { Resources } from '../resources.ts';
import type { PodTemplate } from './pod.ts';

/** The one strategy that is acted on. */
const ACTIVE_CAPACITY = 'buffer.x-k8s.io/active-capacity';

/** Why the pods of a buffer are not known, as its condition says it. */
export interface BufferProblem {
  readonly reason: 'PodTemplateNotFound' | 'ScalableRefNotFound' | 'ResolutionFailed';
  readonly message: string;
}

/** A CapacityBuffer with what it refers to: room that is kept free for pods that are yet to come. */
export interface CapacityBuffer {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly strategy: string;
  /** What its pods are like; absent: see `problem`. */
  readonly template?: PodTemplate;
  /** The PodTemplate that says so, where one is named. */
  readonly templateRef?: { readonly name: string; readonly generation: number };
  readonly replicas?: number;
  /** Of `scale`. */
  readonly percentage?: number;
  /** How many pods the workload that it refers to wants. */
  readonly scale?: number;
  /** The most that its pods may ask for together. */
  readonly limits?: Resources;
  readonly problem?: BufferProblem;
}

/** Of the most careless buffer, more would only cost memory. */
const MAX_REPLICAS = 10_000;

/** How many pods the buffer keeps room for: its size, as far as its limits let it. */
export function computeBufferReplicas(buffer: CapacityBuffer): number {
  const { template, strategy, replicas, percentage } = buffer;
  if (!template || strategy !== ACTIVE_CAPACITY) return 0;
  const limit = countWithinLimits(buffer, template.spec.requests);
  const isSized = replicas !== undefined || percentage !== undefined;
  const requestedReplicas = isSized
    ? Math.max(replicas ?? 0, computePercentageReplicas(buffer))
    : limit;
  const count = Math.min(requestedReplicas, limit);
  return Number.isFinite(count) ? Math.min(count, MAX_REPLICAS) : 0;
}

/** @see Karpenter: a share of something is one pod at least */
function computePercentageReplicas({ percentage = 0, scale = 0 }: CapacityBuffer): number {
  if (percentage === 0 || scale === 0) return 0;
  return Math.max(1, Math.ceil((scale * percentage) / 100));
}

/** Limits on resources that the pods do not ask for do not matter. */
function countWithinLimits({ limits = {} }: CapacityBuffer, requests: Resources): number {
  const counts = Object.entries(limits).flatMap(([name, limit]) => {
    const request = requests[name] ?? 0;
    return request > 0 ? [Math.floor(limit / request)] : [];
  });
  return Math.min(Infinity, ...counts);
}
