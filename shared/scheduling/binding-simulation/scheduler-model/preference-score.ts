import { addTimes, at } from '../../data-structures/resource-vectors.ts';
import type { NodePreference, PodClassModel } from './pod-class-models.ts';
import type { TrackedRule } from './pod-preferences.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import type { TopologyCounts } from './topology-filters.ts';

/** Weights of the score plugins in kube-scheduler's default profile. */
const TAINT_WEIGHT = 3;
const NODE_AFFINITY_WEIGHT = 2;
const SPREAD_WEIGHT = 2;
const POD_AFFINITY_WEIGHT = 2;

/** The deduction from the score of a node with a taint, if other nodes have none. */
export const TAINT_SCORE = 100 * TAINT_WEIGHT;

/** True if resources and single taints alone decide between nodes for pods of the class. */
export const hasNoPreferences = (
  { nodePreferences }: SimulatedCluster,
  { number, softSpreads, affinityWeights }: PodClassModel,
): boolean => !nodePreferences[number] && softSpreads.length === 0 && affinityWeights.length === 0;

/**
 * Computes what kube-scheduler's TaintToleration, NodeAffinity, PodTopologySpread and
 * InterPodAffinity plugins add to the score of each node. Each plugin normalises its scores over
 * the feasible nodes.
 *
 * @param feasible - indices of the nodes that pass all filters
 * @returns the sum by position in `feasible`
 */
export function computePreferenceScores(
  { nodePreferences }: SimulatedCluster,
  counts: TopologyCounts,
  { number, softSpreads, affinityWeights }: PodClassModel,
  feasible: readonly number[],
): Float64Array {
  const extra = new Float64Array(feasible.length);
  const preferences = nodePreferences[number];
  if (preferences) {
    addNormalised(extra, -TAINT_WEIGHT, feasible, preferences, 'avoidedTaints');
    addNormalised(extra, NODE_AFFINITY_WEIGHT, feasible, preferences, 'preferredWeight');
  }
  if (softSpreads.length > 0) addTimes(extra, scoreSpread(counts, softSpreads, feasible), SPREAD_WEIGHT);
  if (affinityWeights.length > 0)
    addTimes(extra, scorePodAffinity(counts, affinityWeights, feasible), POD_AFFINITY_WEIGHT);
  return extra;
}

/** Adds the preferences of the nodes, as whole percents of the highest one. */
function addNormalised(
  into: Float64Array,
  weight: number,
  feasible: readonly number[],
  preferences: readonly NodePreference[],
  key: keyof NodePreference,
): void {
  let max = 0;
  for (let index = 0; index < feasible.length; index++)
    max = Math.max(max, preferences[feasible[index] ?? 0]?.[key] ?? 0);
  if (max === 0) return;
  for (let index = 0; index < feasible.length; index++) {
    const preference = preferences[feasible[index] ?? 0]?.[key] ?? 0;
    into[index] = at(into, index) + weight * Math.floor((100 * preference) / max);
  }
}

/** PodTopologySpread: domains with fewer matching pods score higher. */
function scoreSpread(
  { counters, counts }: TopologyCounts,
  spreads: readonly TrackedRule[],
  feasible: readonly number[],
): Float64Array {
  const crowding = new Float64Array(feasible.length);
  for (const { number, rule } of spreads) {
    const counter = counters[number];
    if (!counter) continue;
    const { domainOf, firstDomain, domainCount } = counter;
    const weight = Math.log(countDomains(feasible, domainOf, domainCount) + 2);
    for (let index = 0; index < feasible.length; index++) {
      const domain = domainOf[feasible[index] ?? 0] ?? -1;
      const count = domain < 0 ? NO_DOMAIN : (counts[firstDomain + domain] ?? 0) * weight + rule.maxSkew - 1;
      crowding[index] = at(crowding, index) + count;
    }
  }
  let [min, max] = [Infinity, 0];
  for (let index = 0; index < crowding.length; index++) {
    const count = Math.round(at(crowding, index));
    crowding[index] = count;
    if (count === Infinity) continue;
    min = Math.min(min, count);
    max = Math.max(max, count);
  }
  for (let index = 0; index < crowding.length; index++) {
    const count = at(crowding, index);
    const score = max === 0 ? 100 : Math.floor((100 * (max + min - count)) / max);
    crowding[index] = count === Infinity ? 0 : score;
  }
  return crowding;
}

/** Marks a node without the topology label of a constraint: it scores 0. */
const NO_DOMAIN = Infinity;

function countDomains(feasible: readonly number[], domainOf: Int32Array, max: number): number {
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
function scorePodAffinity(
  { counters, counts, owners }: TopologyCounts,
  affinityWeights: PodClassModel['affinityWeights'],
  feasible: readonly number[],
): Float64Array {
  const sums = new Float64Array(feasible.length);
  for (const { counted, weight, countedPods } of affinityWeights) {
    const counter = counters[counted.number];
    if (!counter) continue;
    const { domainOf, firstDomain } = counter;
    const podsByDomain = countedPods === 'owners' ? owners : counts;
    for (let index = 0; index < feasible.length; index++) {
      const domain = domainOf[feasible[index] ?? 0] ?? -1;
      if (domain >= 0) sums[index] = at(sums, index) + weight * (podsByDomain[firstDomain + domain] ?? 0);
    }
  }
  let [min, max] = [Infinity, -Infinity];
  for (let index = 0; index < sums.length; index++) {
    min = Math.min(min, at(sums, index));
    max = Math.max(max, at(sums, index));
  }
  const range = max - min;
  for (let index = 0; index < sums.length; index++)
    sums[index] = range === 0 ? 0 : Math.floor((100 * (at(sums, index) - min)) / range);
  return sums;
}
