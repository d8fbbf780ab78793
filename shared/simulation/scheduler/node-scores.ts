import { memoize } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import { ownValue } from '../../model/own-value.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import { matchesLabels, toRequirements } from '../../model/requirements/requirements.ts';
import { findUntoleratedTaint, type Taint, type Toleration } from '../../model/requirements/taints.ts';
import { CPU, MEMORY, type Resources } from '../../model/resources.ts';
import type { NodeLoad } from './node-load.ts';
import { addWeighted, MAX_SCORE, type ScorePlugin } from './score-plugin.ts';

/** Weights in kube-scheduler's default profile; those of free and of balanced resources are 1. */
const TAINT_WEIGHT = 3;
const NODE_AFFINITY_WEIGHT = 2;

/**
 * Scores nodes by their resources, taints and labels, as the plugins NodeResourcesFit (LeastAllocated),
 * NodeResourcesBalancedAllocation, TaintToleration and NodeAffinity do. Not simulated: the requests that
 * kube-scheduler assumes for pods without requests, and images on nodes.
 *
 * @see kube-scheduler 1.36
 */
export function createNodeScores(spec: PodSpec): readonly ScorePlugin[] {
  const terms = spec.preferredNodeTerms
    .filter(({ term }) => term.length > 0)
    .map(({ weight, term }) => ({ weight, requirements: toRequirements(term) }));
  const sumWeights = ({ labels }: Node): number =>
    terms.reduce((sum, { weight, requirements }) => sum + (matchesLabels(requirements, labels) ? weight : 0), 0);
  return [
    createResourceScore(spec.requests),
    normaliseByHighest(-TAINT_WEIGHT, ({ taints }) => countUntolerated(taints, spec.tolerations)),
    ...(terms.length > 0 ? [normaliseByHighest(NODE_AFFINITY_WEIGHT, sumWeights)] : []),
  ];
}

const createResourceScore = (requests: Resources): ScorePlugin => ({
  addScores(sums, feasible) {
    for (const [index, load] of feasible.entries()) sums[index] = (sums[index] ?? 0) + scoreResources(load, requests);
  },
  add: () => undefined,
});

/**
 * Adds two scores of 0 to 100: emptier nodes are better, and nodes whose shares of used CPU and memory
 * come closer to each other by the pod.
 */
function scoreResources({ node: { allocatable }, used }: NodeLoad, requests: Resources): number {
  const cpus = ownValue(allocatable, CPU) ?? 0;
  const memory = ownValue(allocatable, MEMORY) ?? 0;
  const cpuRequest = ownValue(requests, CPU) ?? 0;
  const memoryRequest = ownValue(requests, MEMORY) ?? 0;
  const usedCpus = ownValue(used, CPU) ?? 0;
  const usedMemory = ownValue(used, MEMORY) ?? 0;
  const free = toFreePercent(usedCpus + cpuRequest, cpus) + toFreePercent(usedMemory + memoryRequest, memory);
  const leastAllocated = Math.floor(free / 2);
  if (cpuRequest === 0 && memoryRequest === 0) return leastAllocated;
  const before = scoreBalance(usedCpus, cpus, usedMemory, memory);
  const after = scoreBalance(usedCpus + cpuRequest, cpus, usedMemory + memoryRequest, memory);
  return leastAllocated + 50 + Math.trunc((50 + after - before) / 2);
}

const toFreePercent = (amount: number, total: number): number =>
  total > 0 ? Math.floor((Math.max(0, total - amount) * MAX_SCORE) / total) : 0;

/** 100 if the same share of both is used, 50 if all of one and nothing of the other is. */
function scoreBalance(cpus: number, allCpus: number, memory: number, allMemory: number): number {
  if (allCpus === 0 || allMemory === 0) return MAX_SCORE;
  const deviation = Math.abs(Math.min(1, cpus / allCpus) - Math.min(1, memory / allMemory)) / 2;
  return Math.floor((1 - deviation) * MAX_SCORE);
}

/** The highest of all counts becomes 100, so that a single taint outweighs all resources. */
function normaliseByHighest(weight: number, countOf: (node: Node) => number): ScorePlugin {
  const counts = memoize(countOf);
  return {
    addScores(sums, feasible) {
      const scores = Float64Array.from(feasible, ({ node }) => counts(node));
      const highest = scores.reduce((a, b) => Math.max(a, b), 0);
      if (highest === 0) return;
      addWeighted(
        sums,
        weight,
        scores.map((count) => Math.floor((MAX_SCORE * count) / highest)),
      );
    },
    add: () => undefined,
  };
}

const countUntolerated = (taints: readonly Taint[], tolerations: readonly Toleration[]): number =>
  taints.filter(
    (taint) => taint.effect === 'PreferNoSchedule' && findUntoleratedTaint([taint], tolerations) !== undefined,
  ).length;
