import { mixBits } from '../../../model/hash.ts';
import type { HostPort } from '../../../model/pods/pod.ts';
import { at } from '../../data-structures/resource-vectors.ts';
import type { PodClassModel } from './pod-class-models.ts';
import { computeBalanceOfNode, computeMaxScore } from './resource-score.ts';
import type { SimulatedCluster, TopologyCounter } from './simulated-cluster.ts';
import {
  buildTopologyFilters,
  type ClassFilters,
  type TopologyCounts,
  type TopologyFilter,
  updateFilters,
} from './topology-filters.ts';

/**
 * The state that changes as pods are bound. Matrices are flat arrays with one row per node or per
 * class. Binding a pod changes one node, so a new order only resets the nodes that the last one
 * changed.
 */
export interface SchedulerState extends TopologyCounts {
  /** One row per node: free amount by resource. */
  readonly free: Float64Array;
  /** `free` before any pod is bound. */
  readonly initialFree: Float64Array;
  /** One row per node: all resources. */
  readonly allocatable: Float64Array;
  readonly columns: number;
  /** By node: how evenly its resources are used, and the same before any pod is bound. */
  readonly balances: Float64Array;
  readonly initialBalances: Float64Array;
  /** By node: no pod gives the node a higher resource score. */
  readonly maxScores: Int32Array;
  readonly initialMaxScores: Int32Array;
  readonly hostPorts: (readonly HostPort[])[];
  /** By node: 0 if no pod was bound there in this order, else the number of the last such binding. */
  readonly versions: Int32Array;
  /** Bindings so far, in all orders: a version is never used twice. */
  bindings: number;
  /** The nodes that took a pod in this order: the first `changedCount` entries. */
  readonly changedNodes: Int32Array;
  changedCount: number;
  /**
   * One row per class: resource score by node, and the version of the node for which it was computed.
   * Unchanged nodes have the initial score of the cluster.
   */
  readonly scores: Int32Array;
  readonly scoredVersions: Int32Array;
  /** By class, built for its first pod. */
  readonly filters: (ClassFilters | undefined)[];
  /** Pseudo-random state that breaks ties between equal scores. */
  tieBreakState: number;
}

/** Allocates the state for a cluster. `resetState` has to run before each order. */
export function createSchedulerState({
  podClasses: { models },
  nodes,
  counters,
  initialScores,
}: SimulatedCluster): SchedulerState {
  const columns = models[0]?.request.length ?? 0;
  const initialFree = new Float64Array(nodes.length * columns);
  const allocatable = new Float64Array(nodes.length * columns);
  const initialBalances = new Float64Array(nodes.length);
  const initialMaxScores = new Int32Array(nodes.length);
  nodes.forEach(({ kind }, node) => {
    const offset = node * columns;
    for (let column = 0; column < columns; column++) {
      initialFree[offset + column] = at(kind.free, column);
      allocatable[offset + column] = at(kind.allocatable, column);
    }
    const balance = computeBalanceOfNode(initialFree, allocatable, offset);
    initialBalances[node] = balance;
    initialMaxScores[node] = computeMaxScore(initialFree, allocatable, offset, balance);
  });
  return {
    ...{ counters, columns, initialFree, allocatable, initialBalances, initialMaxScores },
    free: initialFree.slice(),
    balances: initialBalances.slice(),
    maxScores: initialMaxScores.slice(),
    hostPorts: nodes.map(({ kind }) => kind.hostPorts),
    counts: counters.map(({ counts }) => counts.slice()),
    owners: counters.map(({ owners }) => owners.slice()),
    versions: new Int32Array(nodes.length),
    bindings: 0,
    changedNodes: new Int32Array(nodes.length),
    changedCount: 0,
    scores: new Int32Array(initialScores.length),
    scoredVersions: new Int32Array(initialScores.length),
    filters: [],
    tieBreakState: 0,
  };
}

/** Resets the state to the cluster before any pod of the batch is bound. */
export function resetState(
  { nodes, counters }: SimulatedCluster,
  state: SchedulerState,
  seed: number,
): void {
  const { free, initialFree, columns, balances, initialBalances, changedNodes } = state;
  for (let index = 0; index < state.changedCount; index++) {
    const node = changedNodes[index] ?? 0;
    for (let position = node * columns; position < (node + 1) * columns; position++)
      free[position] = at(initialFree, position);
    balances[node] = at(initialBalances, node);
    state.maxScores[node] = state.initialMaxScores[node] ?? 0;
    state.hostPorts[node] = nodes[node]?.kind.hostPorts ?? [];
    state.versions[node] = 0;
  }
  for (let number = 0; number < counters.length; number++) {
    const counter = counters[number];
    if (counter) resetCounts(counter, number, state);
  }
  state.changedCount = 0;
  state.tieBreakState = mixBits(seed + 1);
}

/** Resets the domains of the changed nodes: pods are only counted there. */
function resetCounts(
  { domainOf, counts: initialCounts, owners: initialOwners }: TopologyCounter,
  number: number,
  { counts, owners, changedNodes, changedCount }: SchedulerState,
): void {
  const selected = counts[number];
  const carrying = owners[number];
  if (!selected || !carrying) return;
  for (let index = 0; index < changedCount; index++) {
    const domain = domainOf[changedNodes[index] ?? 0] ?? -1;
    if (domain < 0) continue;
    selected[domain] = initialCounts[domain] ?? 0;
    carrying[domain] = initialOwners[domain] ?? 0;
  }
}

/** Takes the room of a pod: scores that were computed for the node before are outdated. */
export function takeRoom(
  state: SchedulerState,
  { request, requestedColumns }: PodClassModel,
  node: number,
): void {
  const { free, allocatable, columns } = state;
  const offset = node * columns;
  for (const column of requestedColumns)
    free[offset + column] = at(free, offset + column) - at(request, column);
  const balance = computeBalanceOfNode(free, allocatable, offset);
  state.balances[node] = balance;
  state.maxScores[node] = computeMaxScore(free, allocatable, offset, balance);
  if (state.versions[node] === 0) state.changedNodes[state.changedCount++] = node;
  state.versions[node] = ++state.bindings;
}

/** Returns the filters for the next pod of the class. */
export function prepareFilters(
  state: SchedulerState,
  model: PodClassModel,
): readonly TopologyFilter[] {
  const own = state.filters[model.number] ?? buildTopologyFilters(model, state);
  state.filters[model.number] = own;
  updateFilters(own);
  return own.filters;
}
