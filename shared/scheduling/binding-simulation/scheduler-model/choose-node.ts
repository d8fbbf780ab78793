import { mixBits } from '../../../model/hash.ts';
import { GOLDEN_STEP } from '../../../model/random.ts';
import { at } from '../../data-structures/resource-vectors.ts';
import { findPortConflict } from '../../topology/host-rules.ts';
import type { PodClassModel } from './pod-class-models.ts';
import { computePreferenceScores, hasNoPreferences, TAINT_SCORE } from './preference-score.ts';
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
  return hasNoPreferences(cluster, model)
    ? pickByResources(cluster, state, model, filters)
    : pickByPreference(cluster, state, model, listFeasibleNodes(cluster, state, model, filters));
}

/** Picks the node with the best resource score. Nodes with a taint come after those without. */
function pickByResources(
  { nodes: { length }, eligibleNodes, countsWithRoom, avoidedNodes }: SimulatedCluster,
  state: SchedulerState,
  model: PodClassModel,
  filters: readonly TopologyFilter[],
): number {
  const { scores } = state;
  const row = model.number * length;
  const end = row + (countsWithRoom[model.number] ?? 0);
  const hasFilters = filters.length > 0 || model.cls.spec.hostPorts.length > 0;
  let best = -1;
  let bestScore = -TAINT_SCORE;
  let ties = 0;
  for (let position = row; position < end; position++) {
    const node = eligibleNodes[position] ?? 0;
    const cached = scores[row + node] ?? NO_ROOM;
    if (cached === NO_ROOM || (cached < bestScore && cached !== UNKNOWN_SCORE)) continue;
    const resourceScore = cached === UNKNOWN_SCORE ? scoreNode(state, model, node) : cached;
    const score = avoidedNodes[row + node] === 1 ? resourceScore - TAINT_SCORE : resourceScore;
    if (resourceScore === NO_ROOM || score < bestScore) continue;
    if (hasFilters && !passesFilters(state, model, filters, node)) continue;
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

/** Computes the resource score of the node, and keeps it until the node takes a pod. */
function scoreNode(state: SchedulerState, { number, request, requestedColumns }: PodClassModel, node: number): number {
  const { scores, free, allocatable, columns, balances } = state;
  const balance = at(balances, node);
  const score = computeResourceScore(request, requestedColumns, free, allocatable, node * columns, balance);
  scores[number * balances.length + node] = score;
  return score;
}

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
    let score = state.scores[row + node] ?? NO_ROOM;
    if (score === UNKNOWN_SCORE) score = scoreNode(state, model, node);
    if (score === NO_ROOM || !passesFilters(state, model, filters, node)) continue;
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
