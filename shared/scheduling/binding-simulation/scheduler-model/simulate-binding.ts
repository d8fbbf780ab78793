import { mixBits } from '../../../model/hash.ts';
import { GOLDEN_STEP } from '../../../model/random.ts';
import { at } from '../../data-structures/resource-vectors.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import { findPortConflict } from '../../topology/host-rules.ts';
import type { BindingOrder } from '../evaluation/binding-orders.ts';
import type { PodClassModel } from './pod-class-models.ts';
import type { TrackedRule } from './pod-preferences.ts';
import { computePreferenceScores, hasNoPreferences, TAINT_SCORE } from './preference-score.ts';
import { computeResourceScore } from './resource-score.ts';
import {
  createSchedulerState,
  prepareFilters,
  resetState,
  type SchedulerState,
  takeRoom,
} from './scheduler-state.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import { passesAll, type TopologyCounts, type TopologyFilter } from './topology-filters.ts';

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
  const { countedBy, carriedRules, cls } = model;
  const { hostPorts, counters } = state;
  takeRoom(state, model, node);
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
  const filters = prepareFilters(state, model);
  if (hasNoPreferences(cluster, model)) return pickByResources(cluster, state, model, filters);
  const feasible = listFeasibleNodes(cluster, state, model, filters);
  const extra = computePreferenceScores(cluster, state, model, feasible);
  return pickByPreference(cluster, state, model, feasible, extra);
}

/** Picks the node with the best resource score. Nodes with a taint come after those without. */
function pickByResources(
  cluster: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
  filters: readonly TopologyFilter[],
): number {
  const { eligibleNodes, countsWithRoom, avoidedNodes } = cluster;
  const { maxScores } = state;
  const row = model.number * cluster.nodes.length;
  const end = row + (countsWithRoom[model.number] ?? 0);
  const hasFilters = filters.length > 0 || model.cls.spec.hostPorts.length > 0;
  let best = -1;
  let bestScore = -TAINT_SCORE;
  let ties = 0;
  for (let position = row; position < end; position++) {
    const node = eligibleNodes[position] ?? 0;
    const deduction = avoidedNodes[row + node] === 1 ? TAINT_SCORE : 0;
    if ((maxScores[node] ?? 0) - deduction < bestScore) continue;
    const resourceScore = findScore(cluster, state, model, row, node);
    const score = resourceScore - deduction;
    // Full nodes have a resource score below 0.
    if (resourceScore < 0 || score < bestScore) continue;
    if (hasFilters && !passesFilters(state, model, filters, node)) continue;
    ties = score === bestScore ? ties + 1 : 1;
    if (ties > 1 && !winsTie(state, ties)) continue;
    best = node;
    bestScore = score;
  }
  return best;
}

/**
 * Picks the feasible node with the best sum of its scores.
 *
 * @param extra - additional score by position in `feasible`
 */
function pickByPreference(
  cluster: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
  feasible: readonly number[],
  extra: Float64Array,
): number {
  const row = model.number * cluster.nodes.length;
  let best = -1;
  let bestScore = -Infinity;
  let ties = 0;
  for (let index = 0; index < feasible.length; index++) {
    const node = feasible[index] ?? 0;
    const score = findScore(cluster, state, model, row, node) + at(extra, index);
    if (score < bestScore) continue;
    ties = score === bestScore ? ties + 1 : 1;
    if (ties > 1 && !winsTie(state, ties)) continue;
    best = node;
    bestScore = score;
  }
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

/**
 * Returns the resource score of the node; -1 if the pod does not fit.
 *
 * @param row - where the row of the class begins
 */
function findScore(
  { initialScores }: SimulatedCluster,
  state: SchedulerState,
  { request, requestedColumns, cls }: PodClassModel,
  row: number,
  node: number,
): number {
  const version = state.versions[node] ?? 0;
  const cell = row + node;
  if (version === 0) return initialScores[cell] ?? -1;
  // The pods of a class with many replicas are often bound one after the other.
  const isRepeated = cls.pods.length > MAX_UNCACHED_PODS;
  if (isRepeated && state.scoredVersions[cell] === version) return state.scores[cell] ?? -1;
  const { free, allocatable, columns, balances } = state;
  const offset = node * columns;
  const balance = at(balances, node);
  const score = computeResourceScore(request, requestedColumns, free, allocatable, offset, balance);
  if (!isRepeated) return score;
  state.scoredVersions[cell] = version;
  state.scores[cell] = score;
  return score;
}

/** Few pods of a class rarely look at a node twice while it is unchanged. */
const MAX_UNCACHED_PODS = 2;

function listFeasibleNodes(
  cluster: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
  filters: readonly TopologyFilter[],
): number[] {
  const row = model.number * cluster.nodes.length;
  const end = row + (cluster.countsWithRoom[model.number] ?? 0);
  const feasible: number[] = [];
  for (let position = row; position < end; position++) {
    const node = cluster.eligibleNodes[position] ?? 0;
    if (findScore(cluster, state, model, row, node) < 0) continue;
    if (passesFilters(state, model, filters, node)) feasible.push(node);
  }
  return feasible;
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
): number[] {
  const filters = prepareFilters(state, model);
  const row = model.number * nodes.length;
  const all = eligibleNodes.subarray(row, row + (eligibleCounts[model.number] ?? 0));
  return [...all].filter((node) => passesFilters(state, model, filters, node));
}
