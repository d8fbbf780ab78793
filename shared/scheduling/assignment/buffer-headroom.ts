import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { DisruptionPlan } from '../../model/plans.ts';
import { type Pod, type PodKey, type PodSpec, podKey } from '../../model/pods/pod.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import { prepare } from '../input/problem.ts';
import { isBufferPod, listBufferPods } from '../pods/buffer-pods.ts';
import { createPodTaker } from '../pods/pod-classes.ts';
import { assignBatch } from './assign-batch.ts';

/** Where CapacityBuffers find room now. */
export interface Headroom {
  /** Pods that stand for a buffer, by what they fit on. */
  readonly placed: ReadonlyMap<ExistingBin, readonly PodKey[]>;
  readonly pods: readonly Pod[];
}

/** Fills what exists with the pods of buffers; those that are to be had only with new nodes are left. */
export function fillHeadroom(snapshot: ClusterSnapshot): Headroom {
  const pods = listBufferPods(snapshot);
  if (pods.length === 0) return { placed: new Map(), pods };
  const { placed } = assignBatch(prepare(snapshot), pods);
  const takePods = createPodTaker();
  return {
    pods,
    placed: new Map(
      [...placed].map(([bin, counts]) => [
        bin,
        [...counts].flatMap(([cls, count]) => takePods(cls, count)),
      ]),
    ),
  };
}

/**
 * The cluster as it is once the room that buffers keep is taken: for whoever removes nodes. A node
 * that holds such room is not empty, and goes only if the room is found elsewhere.
 */
export function withHeadroom(snapshot: ClusterSnapshot): ClusterSnapshot {
  const { placed, pods } = fillHeadroom(snapshot);
  if (placed.size === 0) return snapshot;
  const nodeOf = new Map(
    [...placed].flatMap(([{ node }, keys]) => keys.map((key) => [key, node?.name] as const)),
  );
  const bound = pods.flatMap(({ unschedulableSince: _, ...pod }): Pod[] => {
    const nodeName = nodeOf.get(podKey(pod));
    const spec = withOrdinaryPriority(pod.spec);
    return nodeName ? [{ ...pod, spec, nodeName, phase: 'Running', ready: true }] : [];
  });
  return { ...snapshot, pods: [...snapshot.pods, ...bound] };
}

// What is worked out for a spec is kept by the spec.
const ordinarySpecs = new WeakMap<PodSpec, PodSpec>();

/** With the lowest priority of all a pod costs nothing to move, and its node would be empty. */
function withOrdinaryPriority(spec: PodSpec): PodSpec {
  const ordinarySpec = ordinarySpecs.get(spec) ?? { ...spec, priority: 0 };
  ordinarySpecs.set(spec, ordinarySpec);
  return ordinarySpec;
}

/** What is done about such a cluster: room moves by itself, only pods that are there are told of. */
export function withoutHeadroom(plan: DisruptionPlan, { pods }: ClusterSnapshot): DisruptionPlan {
  const { command } = plan;
  if (!command) return plan;
  const bufferPodKeys = new Set(pods.filter(isBufferPod).map(podKey));
  const isRealPod = (pod: PodKey): boolean => !bufferPodKeys.has(pod);
  return {
    ...plan,
    command: {
      ...command,
      replacements: command.replacements.map((one) => {
        const headroom = one.pods.filter((pod) => bufferPodKeys.has(pod));
        return headroom.length > 0 ? { ...one, pods: one.pods.filter(isRealPod), headroom } : one;
      }),
      placements: command.placements.flatMap((one) => {
        const existingPods = one.pods.filter(isRealPod);
        return existingPods.length > 0 ? [{ ...one, pods: existingPods }] : [];
      }),
    },
  };
}
