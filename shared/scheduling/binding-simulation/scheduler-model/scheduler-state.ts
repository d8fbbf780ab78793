import { mixBits } from '../../../model/hash.ts';
import type { HostPort } from '../../../model/pods/pod.ts';
import { at } from '../../data-structures/resource-vectors.ts';
import type { PodClassModel } from './pod-class-models.ts';
import { computeBalanceOfNode } from './resource-score.ts';
import { NO_ROOM, type SimulatedCluster } from './simulated-cluster.ts';
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
  /**
   * One row per class: the resource score of each node for the next pod. `NO_ROOM` if it takes none, `UNKNOWN_SCORE`
   * until it is computed for the room that the node has now.
   */
  readonly scores: Int16Array;
  /** The nodes of the pods that are bound, in their order: the first `boundPods` entries. */
  boundNodes: Int32Array;
  boundPods: number;
  /** By class: how many of these pods its scores take into account. */
  readonly scoredPods: Int32Array;
  readonly hostPorts: (readonly HostPort[])[];
  /** By class, built for its first pod. */
  readonly filters: (ClassFilters | undefined)[];
  /** With which the search for the next pod starts. */
  nextNode: number;
  /** The nodes that are compared for a pod, the sums of their scores, and what one plugin counts: as long as all nodes. */
  readonly feasible: Int32Array;
  readonly sums: Float64Array;
  readonly amounts: Float64Array;
  /** Pseudo-random state that breaks ties between equal scores. */
  tieBreakState: number;
}

export const UNKNOWN_SCORE = -2;

/** Allocates the state for a cluster. `resetState` has to run before each order. */
export function createSchedulerState({
  podClasses: { models },
  nodes,
  counters,
  initialCounts,
  initialOwners,
  initialScores,
}: SimulatedCluster): SchedulerState {
  const columns = models[0]?.request.length ?? 0;
  const initialFree = new Float64Array(nodes.length * columns);
  const allocatable = new Float64Array(nodes.length * columns);
  const initialBalances = new Float64Array(nodes.length);
  nodes.forEach(({ kind }, node) => {
    const offset = node * columns;
    for (let column = 0; column < columns; column++) {
      initialFree[offset + column] = at(kind.free, column);
      allocatable[offset + column] = at(kind.allocatable, column);
    }
    initialBalances[node] = computeBalanceOfNode(initialFree, allocatable, offset);
  });
  return {
    ...{ counters, columns, initialFree, allocatable, initialBalances },
    free: initialFree.slice(),
    balances: initialBalances.slice(),
    scores: initialScores.slice(),
    boundNodes: new Int32Array(nodes.length),
    boundPods: 0,
    scoredPods: new Int32Array(models.length),
    hostPorts: nodes.map(({ kind }) => kind.hostPorts),
    counts: initialCounts.slice(),
    owners: initialOwners.slice(),
    filters: [],
    nextNode: 0,
    feasible: new Int32Array(nodes.length),
    sums: new Float64Array(nodes.length),
    amounts: new Float64Array(nodes.length),
    tieBreakState: 0,
  };
}

/** Resets the state to the cluster before any pod of the batch is bound. */
export function resetState(
  { nodes, initialScores, initialCounts, initialOwners }: SimulatedCluster,
  state: SchedulerState,
  seed: number,
): void {
  for (const node of state.boundNodes.subarray(0, state.boundPods))
    state.hostPorts[node] = nodes[node]?.kind.hostPorts ?? [];
  state.free.set(state.initialFree);
  state.balances.set(state.initialBalances);
  state.scores.set(initialScores);
  state.counts.set(initialCounts);
  state.owners.set(initialOwners);
  state.scoredPods.fill(0);
  state.boundPods = 0;
  state.nextNode = 0;
  state.tieBreakState = mixBits(seed + 1);
}

/** Takes the room of a pod. */
export function takeRoom(state: SchedulerState, { request, requestedColumns }: PodClassModel, node: number): void {
  const { free, allocatable, columns } = state;
  const offset = node * columns;
  for (const column of requestedColumns) free[offset + column] = at(free, offset + column) - at(request, column);
  state.balances[node] = computeBalanceOfNode(free, allocatable, offset);
  if (state.boundPods === state.boundNodes.length) state.boundNodes = growTwofold(state.boundNodes);
  state.boundNodes[state.boundPods++] = node;
}

function growTwofold(numbers: Int32Array): Int32Array {
  const larger = new Int32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** Forgets the scores of the nodes that took a pod since the last pod of the class. */
export function forgetScores(
  { scores, balances, boundNodes, boundPods, scoredPods }: SchedulerState,
  cls: number,
): void {
  const row = cls * balances.length;
  for (let pod = scoredPods[cls] ?? 0; pod < boundPods; pod++) {
    const cell = row + (boundNodes[pod] ?? 0);
    // The room of a node only shrinks.
    if (scores[cell] !== NO_ROOM) scores[cell] = UNKNOWN_SCORE;
  }
  scoredPods[cls] = boundPods;
}

/** Returns the filters for the next pod of the class. */
export function prepareFilters(state: SchedulerState, model: PodClassModel): readonly TopologyFilter[] {
  const own = state.filters[model.number] ?? buildTopologyFilters(model, state);
  state.filters[model.number] = own;
  updateFilters(own);
  return own.filters;
}

/** Counts a pod of the class on the node, for each rule that selects it or that it carries. */
export function countPod(
  { counters, counts, owners }: TopologyCounts,
  { countedBy, carriedRules }: PodClassModel,
  node: number,
): void {
  for (const { number } of countedBy) {
    const counter = counters[number];
    if (counter) increment(counts, counter.firstDomain, counter.countedDomainOf[node] ?? -1);
  }
  for (const { number } of carriedRules) {
    const counter = counters[number];
    if (counter) increment(owners, counter.firstDomain, counter.domainOf[node] ?? -1);
  }
}

function increment(podsByDomain: Int32Array, firstDomain: number, domain: number): void {
  if (domain >= 0) podsByDomain[firstDomain + domain] = (podsByDomain[firstDomain + domain] ?? 0) + 1;
}
