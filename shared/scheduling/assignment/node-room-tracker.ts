import { getOrCreate } from '../../model/memo.ts';
import type { HostPort } from '../../model/pods/pod.ts';
import { addTimes, type Vector } from '../data-structures/resource-vectors.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { PodClass } from '../pods/pod-classes.ts';

/** Tracks the room that one plan takes on existing nodes. Nodes without new pods are not copied. */
export interface NodeRoomTracker {
  readonly placed: ReadonlyMap<ExistingNode, ReadonlyMap<PodClass, number>>;
  free(node: ExistingNode): Vector;
  hostPorts(node: ExistingNode): readonly HostPort[];
  put(node: ExistingNode, cls: PodClass, request: Vector, pods: number): void;
}

export function createNodeRoomTracker(): NodeRoomTracker {
  const placed = new Map<ExistingNode, Map<PodClass, number>>();
  const changed = new Map<ExistingNode, { free: Vector; hostPorts: HostPort[] }>();
  return {
    placed,
    free: (node) => changed.get(node)?.free ?? node.free,
    hostPorts: (node) => changed.get(node)?.hostPorts ?? node.hostPorts,
    put(node, cls, request, pods) {
      const state = getOrCreate(changed, node, () => ({
        free: node.free.slice(),
        hostPorts: [...node.hostPorts],
      }));
      addTimes(state.free, request, -pods);
      state.hostPorts.push(...cls.spec.hostPorts);
      const here = placed.get(node) ?? new Map<PodClass, number>();
      placed.set(node, here.set(cls, (here.get(cls) ?? 0) + pods));
    },
  };
}
