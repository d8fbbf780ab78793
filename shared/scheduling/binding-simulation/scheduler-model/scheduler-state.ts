import { mixBits } from '../../../model/hash.ts';
import type { HostPort } from '../../../model/pods/pod.ts';
import { at } from '../../data-structures/resource-vectors.ts';
import { computeBalanceOfNode } from './resource-score.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import type { TopologyCounts } from './topology-filters.ts';

/**
 * The state that changes as pods are bound. Matrices are flat arrays with one row per node or per
 * class.
 */
export interface SchedulerState extends TopologyCounts {
  /** One row per node: free amount by resource. */
  readonly free: Float64Array;
  /** `free` before any pod is bound. */
  readonly initialFree: Float64Array;
  readonly columns: number;
  /** By node: how evenly its resources are used, and the same before any pod is bound. */
  readonly balances: Float64Array;
  readonly initialBalances: Float64Array;
  readonly hostPorts: (readonly HostPort[])[];
  /** By node: number of pods bound. */
  readonly bound: Int32Array;
  /** One row per class: indices of eligible nodes. Nodes that may have room come first. */
  readonly nodes: Int32Array;
  /** By class: how many nodes of its row may have room. */
  readonly openCounts: Int32Array;
  /** One row per class: resource score by node, as last computed. */
  readonly scores: Int32Array;
  /** One row per class: number of pods on the node when that score was computed. */
  readonly boundWhenScored: Int32Array;
  /** Pseudo-random state that breaks ties between equal scores. */
  tieBreakState: number;
}

/** Allocates the state for a cluster. `resetState` has to run before each order. */
export function createSchedulerState({
  podClasses: { models },
  nodes,
  counters,
  eligibleNodes,
  initialScores,
}: SimulatedCluster): SchedulerState {
  const columns = models[0]?.request.length ?? 0;
  const initialFree = new Float64Array(nodes.length * columns);
  nodes.forEach(({ kind }, node) => {
    for (let column = 0; column < columns; column++) {
      initialFree[node * columns + column] = at(kind.free, column);
    }
  });
  const initialBalances = Float64Array.from(nodes, ({ kind }) =>
    computeBalanceOfNode(kind.free, kind.allocatable),
  );
  return {
    ...{ counters, columns, initialFree, initialBalances },
    free: new Float64Array(initialFree.length),
    balances: new Float64Array(nodes.length),
    hostPorts: [],
    counts: counters.map(({ counts }) => counts.slice()),
    owners: counters.map(({ owners }) => owners.slice()),
    bound: new Int32Array(nodes.length),
    nodes: new Int32Array(eligibleNodes.length),
    openCounts: new Int32Array(models.length),
    scores: new Int32Array(initialScores.length),
    boundWhenScored: new Int32Array(initialScores.length),
    tieBreakState: 0,
  };
}

/** Resets the state to the cluster before any pod of the batch is bound. */
export function resetState(
  { nodes, counters, eligibleNodes, countsWithRoom, initialScores }: SimulatedCluster,
  state: SchedulerState,
  seed: number,
): void {
  state.free.set(state.initialFree);
  state.balances.set(state.initialBalances);
  nodes.forEach(({ kind }, node) => {
    state.hostPorts[node] = kind.hostPorts;
  });
  counters.forEach(({ counts, owners }, number) => {
    state.counts[number]?.set(counts);
    state.owners[number]?.set(owners);
  });
  state.bound.fill(0);
  state.nodes.set(eligibleNodes);
  state.openCounts.set(countsWithRoom);
  state.scores.set(initialScores);
  state.boundWhenScored.fill(0);
  state.tieBreakState = mixBits(seed + 1);
}
