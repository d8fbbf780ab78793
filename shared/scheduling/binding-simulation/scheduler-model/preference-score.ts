import { at } from '../../data-structures/resource-vectors.ts';
import type { PodClassModel } from './pod-class-models.ts';
import type { TrackedRule } from './pod-preferences.ts';
import type { SchedulerState } from './scheduler-state.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

/** Weights of the score plugins in kube-scheduler's default profile. */
const TAINT_WEIGHT = 3;
const NODE_AFFINITY_WEIGHT = 2;
const SPREAD_WEIGHT = 2;
const POD_AFFINITY_WEIGHT = 2;

/**
 * Adds what kube-scheduler's TaintToleration, NodeAffinity, PodTopologySpread and InterPodAffinity plugins add to the
 * scores of the first `count` feasible nodes. Each plugin normalises its scores over them.
 */
export function addPreferenceScores(
  { nodePreferences }: SimulatedCluster,
  state: SchedulerState,
  { number, softSpreads, affinityWeights }: PodClassModel,
  count: number,
): void {
  const preferences = nodePreferences[number];
  if (preferences) {
    addNormalised(state, count, -TAINT_WEIGHT, preferences.avoidedTaints);
    addNormalised(state, count, NODE_AFFINITY_WEIGHT, preferences.preferredWeight);
  }
  if (softSpreads.length > 0) addSpread(state, count, softSpreads);
  if (affinityWeights.length > 0) addPodAffinity(state, count, affinityWeights);
}

/** Adds the preferences of the nodes, as whole percents of the highest one. */
function addNormalised(
  { feasible, sums }: SchedulerState,
  count: number,
  weight: number,
  amountByNode: Int32Array,
): void {
  let max = 0;
  for (let index = 0; index < count; index++) max = Math.max(max, amountByNode[feasible[index] ?? 0] ?? 0);
  if (max === 0) return;
  for (let index = 0; index < count; index++) {
    const amount = amountByNode[feasible[index] ?? 0] ?? 0;
    if (amount > 0) sums[index] = at(sums, index) + weight * Math.floor((100 * amount) / max);
  }
}

/** PodTopologySpread: domains with fewer matching pods score higher. */
function addSpread(
  { counters, counts, feasible, sums, amounts }: SchedulerState,
  count: number,
  spreads: readonly TrackedRule[],
): void {
  amounts.fill(0, 0, count);
  for (const { number, rule } of spreads) {
    const counter = counters[number];
    if (!counter) continue;
    const { domainOf, firstDomain, domainCount } = counter;
    const weight = Math.log(countDomains(feasible.subarray(0, count), domainOf, domainCount) + 2);
    for (let index = 0; index < count; index++) {
      const domain = domainOf[feasible[index] ?? 0] ?? -1;
      const pods = domain < 0 ? NO_DOMAIN : (counts[firstDomain + domain] ?? 0) * weight + rule.maxSkew - 1;
      amounts[index] = at(amounts, index) + pods;
    }
  }
  let [min, max] = [Infinity, 0];
  for (let index = 0; index < count; index++) {
    const pods = Math.round(at(amounts, index));
    amounts[index] = pods;
    if (pods === Infinity) continue;
    min = Math.min(min, pods);
    max = Math.max(max, pods);
  }
  for (let index = 0; index < count; index++) {
    const pods = at(amounts, index);
    if (pods === Infinity) continue;
    const score = max === 0 ? 100 : Math.floor((100 * (max + min - pods)) / max);
    sums[index] = at(sums, index) + SPREAD_WEIGHT * score;
  }
}

/** Marks a node without the topology label of a constraint: it scores 0. */
const NO_DOMAIN = Infinity;

function countDomains(feasible: Int32Array, domainOf: Int32Array, max: number): number {
  const isSeen = new Uint8Array(max);
  let domains = 0;
  for (const node of feasible) {
    const domain = domainOf[node] ?? -1;
    if (domain < 0 || isSeen[domain] === 1) continue;
    isSeen[domain] = 1;
    domains += 1;
  }
  return domains;
}

/** InterPodAffinity: adds the weights of the pod's own terms and of the terms of other pods. */
function addPodAffinity(
  { counters, counts, owners, feasible, sums, amounts }: SchedulerState,
  count: number,
  affinityWeights: PodClassModel['affinityWeights'],
): void {
  amounts.fill(0, 0, count);
  for (const { counted, weight, countedPods } of affinityWeights) {
    const counter = counters[counted.number];
    if (!counter) continue;
    const { domainOf, firstDomain } = counter;
    const podsByDomain = countedPods === 'owners' ? owners : counts;
    for (let index = 0; index < count; index++) {
      const domain = domainOf[feasible[index] ?? 0] ?? -1;
      if (domain >= 0) amounts[index] = at(amounts, index) + weight * (podsByDomain[firstDomain + domain] ?? 0);
    }
  }
  let [min, max] = [Infinity, -Infinity];
  for (let index = 0; index < count; index++) {
    min = Math.min(min, at(amounts, index));
    max = Math.max(max, at(amounts, index));
  }
  const range = max - min;
  if (range === 0) return;
  for (let index = 0; index < count; index++)
    sums[index] = at(sums, index) + POD_AFFINITY_WEIGHT * Math.floor((100 * (at(amounts, index) - min)) / range);
}
