import { ownValue } from '../../../shared/model/own-value.ts';
import type { Pod, PodAffinityTerm } from '../../../shared/model/pods/pod.ts';
import { matchesLabels, toRequirements } from '../../../shared/model/requirements/requirements.ts';
import { findUntoleratedTaint } from '../../../shared/model/requirements/taints.ts';
import { CPU, MEMORY } from '../../../shared/model/resources.ts';
import { toSpreadPodSelector } from '../checker/pod-rules.ts';
import { countByDomain, findCachedAudience, isCounted, type Namespaces } from './cluster-filters.ts';
import { assumedCpu, assumedMemory, type SchedulerNode } from './scheduler-nodes.ts';

/**
 * Computes the score of each feasible node in kube-scheduler's default profile, weighted by plugin.
 *
 * @see kubernetes 1.36, pkg/scheduler/apis/config/v1/default_plugins.go
 */
export function computeScores(
  pod: Pod,
  feasible: readonly SchedulerNode[],
  all: readonly SchedulerNode[],
  namespaces: Namespaces,
): number[] {
  const parts: readonly (readonly [number, readonly number[]])[] = [
    [1, feasible.map((node) => scoreFreeResources(pod, node))],
    [1, feasible.map((node) => scoreBalance(pod, node))],
    [3, scoreTolerance(pod, feasible)],
    [2, scoreNodeAffinity(pod, feasible)],
    [2, scoreSpread(pod, feasible, all)],
    [2, scorePodAffinity(pod, feasible, all, namespaces)],
  ];
  return feasible.map((_, index) => parts.reduce((sum, [weight, part]) => sum + weight * (part[index] ?? 0), 0));
}

/** NodeResourcesFit with LeastAllocated. */
function scoreFreeResources({ spec: { requests } }: Pod, { node, assumed }: SchedulerNode): number {
  const shares = [
    computeFreePercent(assumed.cpu + assumedCpu(requests), node.allocatable[CPU] ?? 0),
    computeFreePercent(assumed.memory + assumedMemory(requests), node.allocatable[MEMORY] ?? 0),
  ].filter((share) => share !== undefined);
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.length === 0 ? 0 : Math.floor(sum / shares.length);
}

function computeFreePercent(requested: number, allocatable: number): number | undefined {
  if (allocatable === 0) return undefined;
  return Math.floor((Math.max(0, allocatable - requested) * 100) / allocatable);
}

/**
 * NodeResourcesBalancedAllocation: scores higher if the pod brings CPU and memory closer together.
 */
function scoreBalance({ spec: { requests } }: Pod, { node, requested }: SchedulerNode): number {
  const podRequests = [CPU, MEMORY].map((resource) => ownValue(requests, resource) ?? 0);
  if (podRequests.every((amount) => amount === 0)) return 0;
  const computeEvenness = (withPod: boolean): number => {
    const fractions = [CPU, MEMORY].flatMap((resource, index) => {
      const allocatable = ownValue(node.allocatable, resource) ?? 0;
      const amount = (requested.get(resource) ?? 0) + (withPod ? (podRequests[index] ?? 0) : 0);
      return allocatable === 0 ? [] : [Math.min(1, amount / allocatable)];
    });
    const [cpu = 0, memory = cpu] = fractions;
    return Math.floor((1 - Math.abs(cpu - memory) / 2) * 100);
  };
  return 50 + Math.trunc((50 + computeEvenness(true) - computeEvenness(false)) / 2);
}

/**
 * TaintToleration: scores higher for fewer PreferNoSchedule taints that the pod does not tolerate.
 */
function scoreTolerance({ spec }: Pod, feasible: readonly SchedulerNode[]): number[] {
  const counts = feasible.map(
    ({ node }) =>
      node.taints.filter(
        (taint) => taint.effect === 'PreferNoSchedule' && findUntoleratedTaint([taint], spec.tolerations),
      ).length,
  );
  const max = Math.max(...counts);
  return counts.map((count) => (max === 0 ? 100 : 100 - Math.floor((100 * count) / max)));
}

/** NodeAffinity: sums the weights of the preferred terms that the node matches. */
function scoreNodeAffinity({ spec }: Pod, feasible: readonly SchedulerNode[]): number[] {
  const terms = spec.preferredNodeTerms.map(({ weight, term }) => ({
    weight,
    requirements: toRequirements(term),
  }));
  const sums = feasible.map(({ node }) =>
    terms
      .filter(({ requirements }) => matchesLabels(requirements, node.labels))
      .reduce((sum, { weight }) => sum + weight, 0),
  );
  const max = Math.max(...sums);
  return sums.map((sum) => (max === 0 ? 0 : Math.floor((100 * sum) / max)));
}

/** PodTopologySpread: scores the constraints with ScheduleAnyway. */
function scoreSpread(pod: Pod, feasible: readonly SchedulerNode[], all: readonly SchedulerNode[]): number[] {
  const softConstraints = pod.spec.topologySpread.filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway',
  );
  if (softConstraints.length === 0) return feasible.map(() => 0);
  const rules = softConstraints.map((constraint) => ({
    constraint,
    audience: toSpreadPodSelector(constraint, pod),
  }));
  const hasAllKeys = ({ node }: SchedulerNode): boolean => rules.every(({ audience }) => audience.key in node.labels);
  const raw: (number | undefined)[] = feasible.map((node) => (hasAllKeys(node) ? 0 : undefined));
  for (const { constraint, audience } of rules) {
    const counted = all.filter((node) => hasAllKeys(node) && isCounted(constraint, pod, node));
    const counts = countByDomain(audience, counted);
    const openDomains = new Set(feasible.filter(hasAllKeys).map(({ node }) => ownValue(node.labels, audience.key)));
    const weight = Math.log(openDomains.size + 2);
    feasible.forEach(({ node }, index) => {
      const sum = raw[index];
      const count = counts.get(ownValue(node.labels, audience.key) ?? '') ?? 0;
      if (sum !== undefined) raw[index] = sum + count * weight + (constraint.maxSkew - 1);
    });
  }
  return invertScores(raw.map((sum) => (sum === undefined ? undefined : Math.round(sum))));
}

function invertScores(raw: readonly (number | undefined)[]): number[] {
  const finite = raw.filter((sum) => sum !== undefined);
  const max = Math.max(0, ...finite);
  const min = Math.min(...finite);
  return raw.map((sum) => {
    if (sum === undefined) return 0;
    return max === 0 ? 100 : Math.floor((100 * (max + min - sum)) / max);
  });
}

/**
 * InterPodAffinity: sums the weights of the pod's own preferred terms and of the terms of other
 * pods.
 */
function scorePodAffinity(
  pod: Pod,
  feasible: readonly SchedulerNode[],
  all: readonly SchedulerNode[],
  namespaces: Namespaces,
): number[] {
  const weightByDomain = new Map<string, number>();
  const add = (node: SchedulerNode, key: string, weight: number): void => {
    const domain = ownValue(node.node.labels, key);
    if (domain === undefined) return;
    weightByDomain.set(`${key}=${domain}`, (weightByDomain.get(`${key}=${domain}`) ?? 0) + weight);
  };
  const preferredTerms = listPreferredTerms(pod);
  const ownWeights = preferredTerms.map(({ weight, term }) => ({
    weight,
    audience: findCachedAudience(term, pod, namespaces),
  }));
  for (const node of all) {
    for (const other of node.pods) {
      for (const { weight, audience } of ownWeights) {
        if (audience.includes(other)) add(node, audience.key, weight);
      }
      for (const { weight, term } of [...listPreferredTerms(other), ...listRequiredTerms(other)]) {
        const audience = findCachedAudience(term, other, namespaces);
        if (audience.includes(pod)) add(node, audience.key, weight);
      }
    }
  }
  if (weightByDomain.size === 0) return feasible.map(() => 0);
  const sums = feasible.map(({ node }) =>
    [...weightByDomain].reduce((sum, [pair, weight]) => {
      const [key = '', domain] = pair.split('=');
      return ownValue(node.labels, key) === domain ? sum + weight : sum;
    }, 0),
  );
  const min = Math.min(...sums);
  const range = Math.max(...sums) - min;
  return sums.map((sum) => (range === 0 ? 0 : Math.floor((100 * (sum - min)) / range)));
}

interface WeightedTerm {
  readonly weight: number;
  readonly term: PodAffinityTerm;
}

const listPreferredTerms = ({ spec }: Pod): WeightedTerm[] => [
  ...spec.preferredPodAffinity,
  ...spec.preferredPodAntiAffinity.map(({ weight, term }) => ({ weight: -weight, term })),
];

/** Required affinity terms of other pods score with weight 1. */
const listRequiredTerms = ({ spec }: Pod): WeightedTerm[] => spec.podAffinity.map((term) => ({ weight: 1, term }));
