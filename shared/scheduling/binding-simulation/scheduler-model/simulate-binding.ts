import { mixBits } from '../../../model/hash.ts';
import { GOLDEN_STEP } from '../../../model/random.ts';
import { at } from '../../data-structures/resource-vectors.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import { findPortConflict } from '../../topology/host-rules.ts';
import type { BindingOrder } from '../evaluation/binding-orders.ts';
import type { PodClassModel } from './pod-class-models.ts';
import type { TrackedRule } from './pod-preferences.ts';
import { computePreferenceScores, hasNoPreferences } from './preference-score.ts';
import { computeBalanceOfNode, computeResourceScore } from './resource-score.ts';
import { createSchedulerState, resetState, type SchedulerState } from './scheduler-state.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import {
  buildTopologyFilters,
  passesAll,
  type TopologyCounts,
  type TopologyFilter,
} from './topology-filters.ts';

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
export function createBindingSimulator(
  cluster: SimulatedCluster,
): (order: BindingOrder) => DisplacedPods[] {
  const state = createSchedulerState(cluster);
  return ({ pods, seed }) => {
    resetState(cluster, state, seed);
    return bindAll(cluster, state, pods);
  };
}

function bindAll(
  cluster: SimulatedCluster,
  state: SchedulerState,
  pods: readonly PodClassModel[],
): DisplacedPods[] {
  const unbound = new Map<PodClassModel, number>();
  let waiting: PodClassModel[] = [];
  for (const model of pods) {
    if (!unbound.has(model) && bind(cluster, state, model)) continue;
    // Topology rules of a constrained pod may be satisfied once other pods are bound.
    if (model.hasNoOwnRules) unbound.set(model, (unbound.get(model) ?? 0) + 1);
    else waiting.push(model);
  }
  for (let before = -1; waiting.length !== before && waiting.length > 0; ) {
    before = waiting.length;
    waiting = waiting.filter((model) => !bind(cluster, state, model));
  }
  for (const model of waiting) unbound.set(model, (unbound.get(model) ?? 0) + 1);
  return [...unbound].map(([model, incrementCounter]) => ({
    cls: model.cls,
    pods: incrementCounter,
    nodes: listAllowedNodes(cluster, state, model),
  }));
}

function bind(cluster: SimulatedCluster, state: SchedulerState, model: PodClassModel): boolean {
  const node = findBestNode(cluster, state, model);
  if (node < 0) return false;
  const { request, requestedColumns, countedBy, carriedRules, cls } = model;
  const { free, columns, bound, hostPorts, counters } = state;
  for (const column of requestedColumns) {
    const position = node * columns + column;
    free[position] = at(free, position) - at(request, column);
  }
  const { allocatable } = cluster.nodes[node]?.kind ?? {};
  if (allocatable) state.balances[node] = computeBalanceOfNode(free, allocatable, node * columns);
  bound[node] = (bound[node] ?? 0) + 1;
  if (cls.spec.hostPorts.length > 0)
    hostPorts[node] = [...(hostPorts[node] ?? []), ...cls.spec.hostPorts];
  for (const one of countedBy)
    if (counters[one.number]?.countsNode[node]) incrementCounter(state, 'counts', one, node);
  for (const one of carriedRules) incrementCounter(state, 'owners', one, node);
  return true;
}

function incrementCounter(
  counts: TopologyCounts,
  counted: 'counts' | 'owners',
  { number }: TrackedRule,
  node: number,
): void {
  const domain = counts.counters[number]?.domainOf[node] ?? -1;
  const podsByDomain = counts[counted][number];
  if (podsByDomain && domain >= 0) podsByDomain[domain] = (podsByDomain[domain] ?? 0) + 1;
}

/**
 * @returns the node index, or -1 if no node takes the pod
 */
function findBestNode(
  cluster: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
): number {
  const filters = buildTopologyFilters(model, state);
  if (hasNoPreferences(cluster, model)) return pickBestNode(cluster, state, model, filters);
  dropFullNodes(cluster, state, model);
  const feasible = listFeasibleNodes(cluster, state, model, filters);
  return pickBestNode(
    cluster,
    state,
    model,
    filters,
    computePreferenceScores(cluster, state, model, feasible),
  );
}

/**
 * Picks the node with the best score and drops full nodes from the row of the class on the way.
 * Nodes only ever fill up.
 *
 * @param extra - additional score by node index
 */
function pickBestNode(
  cluster: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
  filters: readonly TopologyFilter[],
  extra?: Float64Array,
): number {
  const { nodes, scores, boundWhenScored, bound, openCounts } = state;
  const row = model.number * cluster.nodes.length;
  const end = row + (openCounts[model.number] ?? 0);
  const hasFilters = filters.length > 0 || model.cls.spec.hostPorts.length > 0;
  let best = -1;
  let bestScore = -Infinity;
  let ties = 0;
  let last = row;
  for (let position = row; position < end; position++) {
    const node = nodes[position] ?? 0;
    if (boundWhenScored[row + node] !== bound[node] && !rescore(cluster, state, model, node))
      continue;
    nodes[last++] = node;
    const score = (scores[row + node] ?? 0) + (extra?.[node] ?? 0);
    if (score < bestScore || (hasFilters && !passesFilters(state, model, filters, node))) continue;
    ties = score === bestScore ? ties + 1 : 1;
    if (ties > 1 && !winsTie(state, ties)) continue;
    best = node;
    bestScore = score;
  }
  openCounts[model.number] = last - row;
  return best;
}

/**
 * Returns whether the latest of `ties` equal nodes replaces the earlier choice. Each node is equally likely
 * to win.
 */
function winsTie(state: SchedulerState, ties: number): boolean {
  state.tieBreakState = (state.tieBreakState + GOLDEN_STEP) | 0;
  return mixBits(state.tieBreakState) % ties === 0;
}

function dropFullNodes(
  cluster: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
): void {
  const { nodes, boundWhenScored, bound, openCounts } = state;
  const row = model.number * cluster.nodes.length;
  const end = row + (openCounts[model.number] ?? 0);
  let last = row;
  for (let position = row; position < end; position++) {
    const node = nodes[position] ?? 0;
    if (boundWhenScored[row + node] !== bound[node] && !rescore(cluster, state, model, node))
      continue;
    nodes[last++] = node;
  }
  openCounts[model.number] = last - row;
}

/** Recomputes the resource score of the node. Returns whether the pod still fits. */
function rescore(
  cluster: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
  node: number,
): boolean {
  const { free, columns, balances, boundWhenScored, bound, scores } = state;
  const position = model.number * cluster.nodes.length + node;
  boundWhenScored[position] = bound[node] ?? 0;
  const { allocatable } = cluster.nodes[node]?.kind ?? {};
  if (!allocatable) return false;
  const score = computeResourceScore(
    model.request,
    model.requestedColumns,
    free,
    allocatable,
    node * columns,
    balances[node],
  );
  scores[position] = score;
  return score >= 0;
}

function listFeasibleNodes(
  cluster: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
  filters: readonly TopologyFilter[],
): number[] {
  const row = model.number * cluster.nodes.length;
  const openNodes = state.nodes.subarray(row, row + (state.openCounts[model.number] ?? 0));
  return [...openNodes].filter((node) => passesFilters(state, model, filters, node));
}

/** Returns whether host ports and topology rules allow the next pod of the class on the node. */
function passesFilters(
  { hostPorts }: SchedulerState,
  { cls: { spec } }: PodClassModel,
  filters: readonly TopologyFilter[],
  node: number,
): boolean {
  if (filters.length > 0 && !passesAll(filters, node)) return false;
  return spec.hostPorts.length === 0 || !findPortConflict(spec.hostPorts, hostPorts[node] ?? []);
}

function listAllowedNodes(
  { nodes, eligibleNodes, eligibleCounts }: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
) {
  const filters = buildTopologyFilters(model, state);
  const row = model.number * nodes.length;
  const all = eligibleNodes.subarray(row, row + (eligibleCounts[model.number] ?? 0));
  return [...all].filter((node) => passesFilters(state, model, filters, node));
}
