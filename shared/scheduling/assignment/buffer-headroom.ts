import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { DisruptionCommand, DisruptionPlan } from '../../model/plans.ts';
import { type Pod, type PodKey, type PodSpec, podKey } from '../../model/pods/pod.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import { prepare } from '../input/problem.ts';
import { isBufferPod, listBufferPods } from '../pods/buffer-pods.ts';
import { createPodTaker } from '../pods/pod-classes.ts';
import { assignBatch } from './assign-batch.ts';

/** The existing capacity that CapacityBuffers occupy. */
export interface Headroom {
  /** Buffer pods by the node that they fit on. */
  readonly placed: ReadonlyMap<ExistingNode, readonly PodKey[]>;
  readonly pods: readonly Pod[];
}

/**
 * Places buffer pods on existing nodes and claims. Buffer pods that would need a new node are left
 * out.
 */
export function fillHeadroom(snapshot: ClusterSnapshot): Headroom {
  const pods = listBufferPods(snapshot);
  if (pods.length === 0) return { placed: new Map(), pods };
  const { placed } = assignBatch(prepare(snapshot), pods);
  const takePods = createPodTaker();
  return {
    pods,
    placed: new Map(
      [...placed].map(([node, counts]) => [node, [...counts].flatMap(([cls, count]) => takePods(cls, count))]),
    ),
  };
}

/**
 * Adds buffer pods to the nodes that they fit on, for the disruption planner. A node with buffer
 * pods is not empty, and is removed only if they fit elsewhere.
 */
export function withHeadroom(snapshot: ClusterSnapshot): ClusterSnapshot {
  const { placed, pods } = fillHeadroom(snapshot);
  if (placed.size === 0) return snapshot;
  const nodeOf = new Map([...placed].flatMap(([{ node }, keys]) => keys.map((key) => [key, node?.name] as const)));
  const bound = pods.flatMap(({ unschedulableSince: _, ...pod }): Pod[] => {
    const nodeName = nodeOf.get(podKey(pod));
    const spec = withOrdinaryPriority(pod.spec);
    return nodeName ? [{ ...pod, spec, nodeName, phase: 'Running', ready: true }] : [];
  });
  return { ...snapshot, pods: [...snapshot.pods, ...bound] };
}

// Other caches are keyed by spec, so the derived spec must stay one object.
const ordinarySpecs = new WeakMap<PodSpec, PodSpec>();

/** With the lowest priority a pod would cost nothing to move, and its node would count as empty. */
function withOrdinaryPriority(spec: PodSpec): PodSpec {
  return getOrCreate(ordinarySpecs, spec, () => ({ ...spec, priority: 0 }));
}

/** Removes buffer pods from a disruption plan: only real pods are moved and reported. */
export function withoutHeadroom(plan: DisruptionPlan, { pods }: ClusterSnapshot): DisruptionPlan {
  const { command, more } = plan;
  if (!command) return plan;
  const bufferPods = new Set(pods.filter(isBufferPod).map(podKey));
  return {
    ...plan,
    command: withoutPods(command, bufferPods),
    ...(more && { more: more.map((one) => withoutPods(one, bufferPods)) }),
  };
}

function withoutPods(command: DisruptionCommand, bufferPods: ReadonlySet<PodKey>): DisruptionCommand {
  const isRealPod = (pod: PodKey): boolean => !bufferPods.has(pod);
  return {
    ...command,
    replacements: command.replacements.map((one) => {
      const headroom = one.pods.filter((pod) => bufferPods.has(pod));
      return headroom.length > 0 ? { ...one, pods: one.pods.filter(isRealPod), headroom } : one;
    }),
    placements: command.placements.flatMap((one) => {
      const existingPods = one.pods.filter(isRealPod);
      return existingPods.length > 0 ? [{ ...one, pods: existingPods }] : [];
    }),
  };
}
