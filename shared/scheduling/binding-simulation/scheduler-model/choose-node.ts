import { mixBits } from '../../../model/hash.ts';
import { GOLDEN_STEP } from '../../../model/random.ts';
import { at } from '../../data-structures/resource-vectors.ts';
import { findPortConflict } from '../../topology/host-rules.ts';
import type { PodClassModel } from './pod-class-models.ts';
import { computePreferenceScores, hasNoPreferences, TAINT_SCORE } from './preference-score.ts';
import { CPU_COLUMN, computeResourceScore, MEMORY_COLUMN } from './resource-score.ts';
import { prepareFilters, type SchedulerState } from './scheduler-state.ts';
import { isScoreBelow } from './score-bounds.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import { passesAll, type TopologyFilter } from './topology-filters.ts';

/**
 * Chooses the node to which kube-scheduler binds the next pod of the class.
 *
 * @returns the node index, or -1 if no node takes the pod
 */
export function chooseNode(cluster: SimulatedCluster, state: SchedulerState, model: PodClassModel): number {
  const filters = prepareFilters(state, model);
  return hasNoPreferences(cluster, model)
    ? pickByResources(cluster, state, model, filters)
    : pickByPreference(cluster, state, model, listFeasibleNodes(cluster, state, model, filters));
}

/** Picks the node with the best resource score. Nodes with a taint come after those without. */
function pickByResources(
  { nodes, eligibleNodes, countsWithRoom, avoidedNodes }: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
  filters: readonly TopologyFilter[],
): number {
  const { scoreBounds } = state;
  const cpuRequest = at(model.request, CPU_COLUMN);
  const memoryRequest = at(model.request, MEMORY_COLUMN);
  const row = model.number * nodes.length;
  const end = row + (countsWithRoom[model.number] ?? 0);
  const hasFilters = filters.length > 0 || model.cls.spec.hostPorts.length > 0;
  let best = -1;
  let bestScore = -TAINT_SCORE;
  let ties = 0;
  for (let position = row; position < end; position++) {
    const node = eligibleNodes[position] ?? 0;
    const deduction = avoidedNodes[row + node] === 1 ? TAINT_SCORE : 0;
    if (isScoreBelow(scoreBounds, node, cpuRequest, memoryRequest, bestScore + deduction)) continue;
    if (hasFilters && !passesFilters(state, model, filters, node)) continue;
    const resourceScore = scoreNode(state, model, node);
    const score = resourceScore - deduction;
    // Full nodes have a resource score below 0.
    if (resourceScore < 0 || score < bestScore) continue;
    ties = score === bestScore ? ties + 1 : 1;
    if (ties > 1 && !winsTie(state, ties)) continue;
    best = node;
    bestScore = score;
  }
  return best;
}

/** The nodes that pass all filters, with their resource scores by position. */
interface FeasibleNodes {
  readonly nodes: readonly number[];
  readonly scores: readonly number[];
}

/** Picks the feasible node with the best sum of its scores. */
function pickByPreference(
  cluster: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
  { nodes, scores }: FeasibleNodes,
): number {
  const extra = computePreferenceScores(cluster, state, model, nodes);
  let best = -1;
  let bestScore = -Infinity;
  let ties = 0;
  for (let index = 0; index < nodes.length; index++) {
    const score = (scores[index] ?? 0) + at(extra, index);
    if (score < bestScore) continue;
    ties = score === bestScore ? ties + 1 : 1;
    if (ties > 1 && !winsTie(state, ties)) continue;
    best = nodes[index] ?? -1;
    bestScore = score;
  }
  return best;
}

/**
 * True if the latest of `ties` equal nodes replaces the earlier choice. Each node is equally likely
 * to win.
 */
function winsTie(state: SchedulerState, ties: number): boolean {
  state.tieBreakState = (state.tieBreakState + GOLDEN_STEP) | 0;
  return mixBits(state.tieBreakState) % ties === 0;
}

/** Returns the resource score of the node; -1 if the pod does not fit. */
const scoreNode = (
  { free, allocatable, columns, balances }: SchedulerState,
  { request, requestedColumns }: PodClassModel,
  node: number,
): number => computeResourceScore(request, requestedColumns, free, allocatable, node * columns, at(balances, node));

function listFeasibleNodes(
  { nodes: { length }, eligibleNodes, countsWithRoom }: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
  filters: readonly TopologyFilter[],
): FeasibleNodes {
  const row = model.number * length;
  const end = row + (countsWithRoom[model.number] ?? 0);
  const nodes: number[] = [];
  const scores: number[] = [];
  for (let position = row; position < end; position++) {
    const node = eligibleNodes[position] ?? 0;
    const score = scoreNode(state, model, node);
    if (score < 0 || !passesFilters(state, model, filters, node)) continue;
    nodes.push(node);
    scores.push(score);
  }
  return { nodes, scores };
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

/** Lists the nodes that pass every filter except the one for resources. */
export function listAllowedNodes(
  { nodes, eligibleNodes, eligibleCounts }: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
): number[] {
  const filters = prepareFilters(state, model);
  const row = model.number * nodes.length;
  const end = row + (eligibleCounts[model.number] ?? 0);
  const allowed: number[] = [];
  for (let position = row; position < end; position++) {
    const node = eligibleNodes[position] ?? 0;
    if (passesFilters(state, model, filters, node)) allowed.push(node);
  }
  return allowed;
}
