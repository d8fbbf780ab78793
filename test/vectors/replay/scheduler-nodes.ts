import type { Pod } from '../../../shared/model/pods/pod.ts';
import { podKey } from '../../../shared/model/pods/pod.ts';
import { CPU, MEMORY, MIB, type Resources } from '../../../shared/model/resources.ts';
import type { ReplayedNode } from './replayed-nodes.ts';

/** A node in the scheduler's cache. */
export interface SchedulerNode {
  readonly node: ReplayedNode;
  readonly pods: Pod[];
  readonly requested: Map<string, number>;
  /** Requests that count for scores: pods without requests count with default amounts. */
  readonly assumed: { cpu: number; memory: number };
}

/** Amounts that kube-scheduler assumes for pods without requests, in millicores and bytes. */
const ASSUMED_CPU = 100;
const ASSUMED_MEMORY = 200 * MIB;

/**
 * Creates the cache entry of the node, with all pods that run there before the plan's pods arrive.
 */
export function createSchedulerNode(node: ReplayedNode): SchedulerNode {
  const state: SchedulerNode = {
    node,
    pods: [],
    requested: new Map(),
    assumed: { cpu: 0, memory: 0 },
  };
  for (const pod of node.bound) bind(state, pod);
  for (const { name, namespace, template } of node.daemonSets) {
    const podName = `${name}-${node.name}`;
    bind(state, {
      ...template,
      name: podName,
      namespace,
      uid: podKey({ namespace, name: podName }),
      createdAt: 0,
      phase: 'Running',
      ready: true,
      nodeName: node.name,
    });
  }
  return state;
}

export function bind({ pods, requested, assumed }: SchedulerNode, pod: Pod): void {
  pods.push(pod);
  const { requests } = pod.spec;
  for (const [resource, amount] of Object.entries(requests)) {
    requested.set(resource, (requested.get(resource) ?? 0) + amount);
  }
  assumed.cpu += assumedCpu(requests);
  assumed.memory += assumedMemory(requests);
}

export const assumedCpu = (requests: Resources): number => requests[CPU] || ASSUMED_CPU;
export const assumedMemory = (requests: Resources): number => requests[MEMORY] || ASSUMED_MEMORY;
