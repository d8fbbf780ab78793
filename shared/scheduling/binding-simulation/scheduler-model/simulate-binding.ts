import type { PodClass } from '../../pods/pod-classes.ts';
import type { BindingOrder } from '../evaluation/binding-orders.ts';
import { chooseNode, listAllowedNodes } from './choose-node.ts';
import type { PodClassModel } from './pod-class-models.ts';
import { countPod, createSchedulerState, resetState, type SchedulerState, takeRoom } from './scheduler-state.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

/** Pods of a class for which no node was found. */
export interface DisplacedPods {
  readonly cls: PodClass;
  readonly pods: number;
  /** Indices of the nodes that pass every filter except the one for resources. */
  readonly nodes: readonly number[];
}

/**
 * Creates a simulator that binds pods one by one in a given order, as kube-scheduler does: to the
 * node with the best score among those that pass its filters, whatever node the plan meant them
 * for.
 *
 * @returns a function from an order to the displaced pods; calls reuse the same buffers
 * @see kube-scheduler 1.36, default profile
 */
export function createBindingSimulator(cluster: SimulatedCluster): (order: BindingOrder) => DisplacedPods[] {
  const state = createSchedulerState(cluster);
  return ({ pods, seed }) => {
    resetState(cluster, state, seed);
    return bindAll(cluster, state, pods);
  };
}

function bindAll(cluster: SimulatedCluster, state: SchedulerState, pods: readonly PodClassModel[]): DisplacedPods[] {
  const unbound = new Map<PodClassModel, number>();
  let waiting: PodClassModel[] = [];
  for (const model of pods) {
    const isUnbound = unbound.size > 0 && unbound.has(model);
    if (!isUnbound && bind(cluster, state, model)) continue;
    // Topology rules of a constrained pod may be satisfied once other pods are bound.
    if (model.hasNoOwnRules) unbound.set(model, (unbound.get(model) ?? 0) + 1);
    else waiting.push(model);
  }
  for (let before = -1; waiting.length !== before && waiting.length > 0; ) {
    before = waiting.length;
    waiting = waiting.filter((model) => !bind(cluster, state, model));
  }
  for (const model of waiting) unbound.set(model, (unbound.get(model) ?? 0) + 1);
  return [...unbound].map(([model, count]) => ({
    cls: model.cls,
    pods: count,
    nodes: listAllowedNodes(cluster, state, model),
  }));
}

function bind(cluster: SimulatedCluster, state: SchedulerState, model: PodClassModel): boolean {
  const node = chooseNode(cluster, state, model);
  if (node < 0) return false;
  const { hostPorts: ports } = model.cls.spec;
  const { hostPorts } = state;
  takeRoom(state, model, node);
  if (ports.length > 0) hostPorts[node] = [...(hostPorts[node] ?? []), ...ports];
  countPod(state, model, node);
  return true;
}
