import { mixBits } from '../../../model/hash.ts';
import { GOLDEN_STEP } from '../../../model/random.ts';
import { at } from '../../data-structures/resource-vectors.ts';
import { findPortConflict } from '../../topology/host-rules.ts';
import type { PodClassModel } from './pod-class-models.ts';
import { addPreferenceScores } from './preference-score.ts';
import { computeResourceScore } from './resource-score.ts';
import { forgetScores, prepareFilters, type SchedulerState, UNKNOWN_SCORE } from './scheduler-state.ts';
import { NO_ROOM, type SimulatedCluster } from './simulated-cluster.ts';
import { passesAll, type TopologyFilter } from './topology-filters.ts';

/**
 * Chooses the node to which kube-scheduler binds the next pod of the class.
 *
 * @returns the node index, or -1 if no node takes the pod
 */
export function chooseNode(cluster: SimulatedCluster, state: SchedulerState, model: PodClassModel): number {
  const filters = prepareFilters(state, model);
  forgetScores(state, model.number);
  const count = findFeasible(cluster, state, model, filters);
  addPreferenceScores(cluster, state, model, count);
  return pickBest(state, count);
}

/** Picks the feasible node with the best sum of its scores. */
function pickBest(state: SchedulerState, count: number): number {
  const { feasible, sums } = state;
  let best = -1;
  let bestScore = -Infinity;
  let ties = 0;
  for (let index = 0; index < count; index++) {
    const score = sums[index] ?? 0;
    if (score < bestScore) continue;
    ties = score === bestScore ? ties + 1 : 1;
    if (ties > 1 && !winsTie(state, ties)) continue;
    best = feasible[index] ?? -1;
    bestScore = score;
  }
  return best;
}

/**
 * Lists the first feasible nodes with their resource scores in `feasible` and `sums`.
 *
 * @returns how many these are
 */
function findFeasible(
  { nodes: { length }, nodesToFind }: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
  filters: readonly TopologyFilter[],
): number {
  const { scores, feasible, sums, nextNode: first } = state;
  const row = model.number * length;
  const isFiltered = filters.length > 0 || model.cls.spec.hostPorts.length > 0;
  let count = 0;
  for (let part = 0; part < 2; part++) {
    const end = part === 0 ? length : first;
    for (let node = part === 0 ? first : 0; node < end; node++) {
      let score = scores[row + node] ?? NO_ROOM;
      if (score === NO_ROOM) continue;
      if (score === UNKNOWN_SCORE) score = scoreNode(state, model, node);
      if (score === NO_ROOM || (isFiltered && !passesFilters(state, model, filters, node))) continue;
      feasible[count] = node;
      sums[count] = score;
      count += 1;
      if (count < nodesToFind) continue;
      state.nextNode = node + 1 === length ? 0 : node + 1;
      return count;
    }
  }
  return count;
}

/**
 * True if the latest of `ties` equal nodes replaces the earlier choice. Each node is equally likely
 * to win.
 */
function winsTie(state: SchedulerState, ties: number): boolean {
  state.tieBreakState = (state.tieBreakState + GOLDEN_STEP) | 0;
  return mixBits(state.tieBreakState) % ties === 0;
}

/** Computes the resource score of the node, and keeps it until the node takes a pod. */
function scoreNode(state: SchedulerState, { number, request, requestedColumns }: PodClassModel, node: number): number {
  const { scores, free, allocatable, columns, balances } = state;
  const balance = at(balances, node);
  const score = computeResourceScore(request, requestedColumns, free, allocatable, node * columns, balance);
  scores[number * balances.length + node] = score;
  return score;
}

/** True if host ports and topology rules allow the next pod of the class on the node. */
function passesFilters(
  { hostPorts }: SchedulerState,
  { cls: { spec } }: PodClassModel,
  filters: readonly TopologyFilter[],
  node: number,
): boolean {
  if (filters.length > 0 && !passesAll(filters, node)) return false;
  return spec.hostPorts.length === 0 || !findPortConflict(spec.hostPorts, hostPorts[node] ?? []);
}

/**
 * Lists the nodes that pass every filter except the one for resources: those that had room before the batch, then the
 * others, the new ones first.
 */
export function listAllowedNodes(
  { nodes, eligibleNodes, initialScores }: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
): number[] {
  const filters = prepareFilters(state, model);
  const row = model.number * nodes.length;
  const allowed = nodes.flatMap((_, node) =>
    eligibleNodes[row + node] === 1 && passesFilters(state, model, filters, node) ? [node] : [],
  );
  const hadRoom = (node: number): boolean => initialScores[row + node] !== NO_ROOM;
  return [...allowed.filter(hadRoom), ...allowed.filter((node) => !hadRoom(node)).toReversed()];
}
