import type { Pod } from '../../../shared/model/pod.ts';
import { podKey } from '../../../shared/model/pod.ts';
import { CPU, MEMORY, MIB, type Resources } from '../../../shared/model/resources.ts';
import type { ReplayedNode } from './replayed-nodes.ts';

/** A node as the scheduler's cache has it. */
export interface SchedulerNode {
  readonly node: ReplayedNode;
  readonly pods: Pod[];
  readonly requested: Map<string, number>;
  /** The same with an assumed amount for pods that ask for none. */
  readonly assumed: { cpu: number; memory: number };
}

/** Of a pod that names no request; millicores and bytes. */
const ASSUMED_CPU = 100;
const ASSUMED_MEMORY = 200 * MIB;

/** The node with what runs there before any pod of the plan comes. */
export function schedulerNode(node: ReplayedNode): SchedulerNode {
  const state: SchedulerNode = {
    node,
    pods: [],
    requested: new Map(),
    assumed: { cpu: 0, memory: 0 },
  };
  for (const pod of node.bound) bind(state, pod);
  for (const { name, namespace, template } of node.daemonSets) {
    const own = `${name}-${node.name}`;
    bind(state, {
      ...template,
      name: own,
      namespace,
      uid: podKey({ namespace, name: own }),
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
