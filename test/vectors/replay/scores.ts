import type { Pod, PodAffinityTerm } from '../../../shared/model/pod.ts';
import { matchesLabels, toRequirements } from '../../../shared/model/requirements.ts';
import { CPU, MEMORY } from '../../../shared/model/resources.ts';
import { untoleratedTaint } from '../../../shared/model/taints.ts';
import { spreadAudience } from '../checker/pod-rules.ts';
import {
  countsByDomain,
  isCounted,
  type Namespaces,
  rememberedAudience,
} from './cluster-filters.ts';
import { assumedCpu, assumedMemory, type SchedulerNode } from './scheduler-nodes.ts';

/**
 * What kube-scheduler's default profile thinks of each node for a pod, by the weights of its plugins.
 *
 * @see kubernetes 1.36, pkg/scheduler/apis/config/v1/default_plugins.go
 */
export function scores(
  pod: Pod,
  feasible: readonly SchedulerNode[],
  all: readonly SchedulerNode[],
  namespaces: Namespaces,
): number[] {
  const parts: readonly (readonly [number, readonly number[]])[] = [
    [1, feasible.map((node) => freeShare(pod, node))],
    [1, feasible.map((node) => balance(pod, node))],
    [3, tolerance(pod, feasible)],
    [2, nodePreference(pod, feasible)],
    [2, spreadPreference(pod, feasible, all)],
    [2, company(pod, feasible, all, namespaces)],
  ];
  return feasible.map((_, index) =>
    parts.reduce((sum, [weight, part]) => sum + weight * (part[index] ?? 0), 0),
  );
}

/** NodeResourcesFit, LeastAllocated. */
function freeShare({ spec: { requests } }: Pod, { node, assumed }: SchedulerNode): number {
  const shares = [
    free(assumed.cpu + assumedCpu(requests), node.allocatable[CPU] ?? 0),
    free(assumed.memory + assumedMemory(requests), node.allocatable[MEMORY] ?? 0),
  ].filter((share) => share !== undefined);
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.length === 0 ? 0 : Math.floor(sum / shares.length);
}

function free(requested: number, allocatable: number): number | undefined {
  if (allocatable === 0) return undefined;
  return Math.floor((Math.max(0, allocatable - requested) * 100) / allocatable);
}

/** NodeResourcesBalancedAllocation: does the pod bring cpu and memory closer together? */
function balance({ spec: { requests } }: Pod, { node, requested }: SchedulerNode): number {
  const wanted = [CPU, MEMORY].map((resource) => requests[resource] ?? 0);
  if (wanted.every((amount) => amount === 0)) return 0;
  const evenness = (withPod: boolean): number => {
    const fractions = [CPU, MEMORY].flatMap((resource, index) => {
      const allocatable = node.allocatable[resource] ?? 0;
      const amount = (requested.get(resource) ?? 0) + (withPod ? (wanted[index] ?? 0) : 0);
      return allocatable === 0 ? [] : [Math.min(1, amount / allocatable)];
    });
    const [cpu = 0, memory = cpu] = fractions;
    return Math.floor((1 - Math.abs(cpu - memory) / 2) * 100);
  };
  return 50 + Math.trunc((50 + evenness(true) - evenness(false)) / 2);
}

/** TaintToleration: the fewer taints that ask pods to stay away, the better. */
function tolerance({ spec }: Pod, feasible: readonly SchedulerNode[]): number[] {
  const counts = feasible.map(
    ({ node }) =>
      node.taints.filter(
        (taint) =>
          taint.effect === 'PreferNoSchedule' && untoleratedTaint([taint], spec.tolerations),
      ).length,
  );
  const most = Math.max(...counts);
  return counts.map((count) => (most === 0 ? 100 : 100 - Math.floor((100 * count) / most)));
}

/** NodeAffinity: the weights of the preferred terms that a node meets. */
function nodePreference({ spec }: Pod, feasible: readonly SchedulerNode[]): number[] {
  const terms = spec.preferredNodeTerms.map(({ weight, term }) => ({
    weight,
    requirements: toRequirements(term),
  }));
  const sums = feasible.map(({ node }) =>
    terms
      .filter(({ requirements }) => matchesLabels(requirements, node.labels))
      .reduce((sum, { weight }) => sum + weight, 0),
  );
  const most = Math.max(...sums);
  return sums.map((sum) => (most === 0 ? 0 : Math.floor((100 * sum) / most)));
}

/** PodTopologySpread: constraints that are no condition. */
function spreadPreference(
  pod: Pod,
  feasible: readonly SchedulerNode[],
  all: readonly SchedulerNode[],
): number[] {
  const soft = pod.spec.topologySpread.filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway',
  );
  if (soft.length === 0) return feasible.map(() => 0);
  const rules = soft.map((constraint) => ({
    constraint,
    audience: spreadAudience(constraint, pod),
  }));
  const has = ({ node }: SchedulerNode): boolean =>
    rules.every(({ audience }) => audience.key in node.labels);
  const raw: (number | undefined)[] = feasible.map((node) => (has(node) ? 0 : undefined));
  for (const { constraint, audience } of rules) {
    const counted = all.filter((node) => has(node) && isCounted(constraint, pod, node));
    const counts = countsByDomain(audience, counted);
    const open = new Set(feasible.filter(has).map(({ node }) => node.labels[audience.key]));
    const weight = Math.log(open.size + 2);
    feasible.forEach(({ node }, index) => {
      const sum = raw[index];
      const count = counts.get(node.labels[audience.key] ?? '') ?? 0;
      if (sum !== undefined) raw[index] = sum + count * weight + (constraint.maxSkew - 1);
    });
  }
  return lessIsMore(raw.map((sum) => (sum === undefined ? undefined : Math.round(sum))));
}

function lessIsMore(raw: readonly (number | undefined)[]): number[] {
  const known = raw.filter((sum) => sum !== undefined);
  const most = Math.max(0, ...known);
  const least = Math.min(...known);
  return raw.map((sum) => {
    if (sum === undefined) return 0;
    return most === 0 ? 100 : Math.floor((100 * (most + least - sum)) / most);
  });
}

/** InterPodAffinity: whom the pod likes, and who likes the pod. */
function company(
  pod: Pod,
  feasible: readonly SchedulerNode[],
  all: readonly SchedulerNode[],
  namespaces: Namespaces,
): number[] {
  const worth = new Map<string, number>();
  const add = (node: SchedulerNode, key: string, weight: number): void => {
    const domain = node.node.labels[key];
    if (domain === undefined) return;
    worth.set(`${key}=${domain}`, (worth.get(`${key}=${domain}`) ?? 0) + weight);
  };
  const own = likes(pod);
  const wishes = own.map(({ weight, term }) => ({
    weight,
    audience: rememberedAudience(term, pod, namespaces),
  }));
  for (const node of all) {
    for (const other of node.pods) {
      for (const { weight, audience } of wishes) {
        if (audience.includes(other)) add(node, audience.key, weight);
      }
      for (const { weight, term } of [...likes(other), ...needs(other)]) {
        const audience = rememberedAudience(term, other, namespaces);
        if (audience.includes(pod)) add(node, audience.key, weight);
      }
    }
  }
  if (worth.size === 0) return feasible.map(() => 0);
  const sums = feasible.map(({ node }) =>
    [...worth].reduce((sum, [pair, weight]) => {
      const [key = '', domain] = pair.split('=');
      return node.labels[key] === domain ? sum + weight : sum;
    }, 0),
  );
  const least = Math.min(...sums);
  const range = Math.max(...sums) - least;
  return sums.map((sum) => (range === 0 ? 0 : Math.floor((100 * (sum - least)) / range)));
}

interface Wish {
  readonly weight: number;
  readonly term: PodAffinityTerm;
}

const likes = ({ spec }: Pod): Wish[] => [
  ...spec.preferredPodAffinity,
  ...spec.preferredPodAntiAffinity.map(({ weight, term }) => ({ weight: -weight, term })),
];

/** What others require of the pod's kind draws it a little. */
const needs = ({ spec }: Pod): Wish[] => spec.podAffinity.map((term) => ({ weight: 1, term }));
