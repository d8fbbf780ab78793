import type { Pod } from '../../model/pods/pod.ts';
import { matchesLabels } from '../../model/requirements/requirements.ts';
import { untoleratedTaint } from '../../model/requirements/taints.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import { onceRunning } from '../input/memo.ts';
import type { Problem } from '../input/problem.ts';
import { findSelectorLabelKeys } from '../pods/pod-classes.ts';
import {
  addCount,
  createAffinityRule,
  isSelected,
  type NodeFilter,
  type TopologyRule,
} from './topology-rules.ts';

/** Pods that a rule selects, by domain, as they run; and the domains that have a node at all. */
export interface RunningPodCounts {
  readonly counts: ReadonlyMap<string, number>;
  readonly presentDomains: ReadonlySet<string>;
}

/** A required anti-affinity of pods that run, and how many of its owners are in each domain. */
export interface RunningAntiAffinity {
  readonly rule: TopologyRule;
  readonly owners: ReadonlyMap<string, number>;
}

const countsByRule = onceRunning(() => new Map<string, RunningPodCounts>());

/** @see kube-scheduler: terminating pods are not counted, nodes without the key are no domain */
export function countRunningPods(rule: TopologyRule, problem: Problem): RunningPodCounts {
  const countsById = countsByRule(problem);
  const cached = countsById.get(rule.id);
  if (cached) return cached;

  const counts = new Map<string, number>();
  const presentDomains = new Set<string>();
  const domainOf = new Map<ExistingBin, string>();
  for (const bin of problem.running) {
    const domain = bin.labels[rule.key];
    if (domain === undefined || !passesFilter(rule.filter, bin)) continue;
    domainOf.set(bin, domain);
    if (!bin.leaving) presentDomains.add(domain);
  }
  for (const { pod, bins } of runningPodGroups(problem)) {
    if (!isSelected(rule, pod)) continue;
    for (const bin of bins) {
      const domain = domainOf.get(bin);
      if (domain !== undefined) addCount(counts, domain, 1);
    }
  }
  const count = { counts, presentDomains };
  countsById.set(rule.id, count);
  return count;
}

/** Running pods that no selector tells apart. */
interface RunningPodGroup {
  readonly pod: Pick<Pod, 'namespace' | 'labels'>;
  /** The bin of each of them. */
  readonly bins: ExistingBin[];
}

/** Pods of one template share their labels: of 150,000 that run there are some hundred kinds. */
const runningPodGroups = onceRunning(({ running }): readonly RunningPodGroup[] => {
  const byLabels = new Map<Pod['labels'], RunningPodGroup[]>();
  for (const bin of running) {
    for (const pod of bin.pods) {
      if (pod.deletionAt !== undefined) continue;
      const groups = byLabels.get(pod.labels) ?? [];
      byLabels.set(pod.labels, groups);
      const countsById = groups.find(({ pod: alike }) => alike.namespace === pod.namespace);
      if (countsById) countsById.bins.push(bin);
      else groups.push({ pod, bins: [bin] });
    }
  }
  return [...byLabels.values()].flat();
});

/** The count without some of the pods: they are looking for another place. */
export function countWithoutMoving(
  { counts }: RunningPodCounts,
  rule: TopologyRule,
  moving: readonly PodOnNode[],
): Map<string, number> {
  const remaining = new Map(counts);
  for (const { pod, bin } of moving) {
    const domain = bin.labels[rule.key];
    if (domain !== undefined && isCounted(pod, rule) && passesFilter(rule.filter, bin)) {
      addCount(remaining, domain, -1);
    }
  }
  return remaining;
}

export interface PodOnNode {
  readonly pod: Pod;
  readonly bin: ExistingBin;
}

/** The pods of a batch that run, with where. */
export function listPodsOnNodes(batch: readonly Pod[], problem: Problem): PodOnNode[] {
  const byNode = nodesByName(problem);
  return batch.flatMap((pod) => {
    const bin = pod.nodeName === undefined ? undefined : byNode.get(pod.nodeName);
    return bin ? [{ pod, bin }] : [];
  });
}

const nodesByName = onceRunning(
  ({ running }) =>
    new Map(running.flatMap((bin) => (bin.node ? [[bin.node.name, bin] as const] : []))),
);

const isCounted = (pod: Pod, rule: TopologyRule): boolean =>
  pod.deletionAt === undefined && isSelected(rule, pod);

/** Whether pods on such a node count, and its domain with them. */
export function passesFilter(
  filter: NodeFilter | undefined,
  bin: Pick<ExistingBin, 'labels' | 'taints'>,
): boolean {
  if (!filter) return true;
  const { anyOf } = filter;
  if (anyOf && !anyOf.some((term) => matchesLabels(term, bin.labels))) return false;
  return !filter.tolerations || !untoleratedTaint(bin.taints, filter.tolerations);
}

/** Every required anti-affinity that some running pod carries. */
export const runningAntiAffinities = onceRunning(
  ({ running, snapshot }): readonly RunningAntiAffinity[] => {
    const byId = new Map<string, { rule: TopologyRule; owners: Map<string, number> }>();
    for (const bin of running) {
      for (const pod of bin.pods) {
        for (const term of pod.spec.podAntiAffinity) {
          const rule = createAffinityRule('anti-affinity', term, pod, snapshot.namespaces);
          const entry = byId.get(rule.id) ?? { rule, owners: new Map<string, number>() };
          byId.set(rule.id, entry);
          const domain = bin.labels[rule.key];
          if (domain !== undefined) addCount(entry.owners, domain, 1);
        }
      }
    }
    return [...byId.values()];
  },
);

/** The owners of a rule by domain, less those that are looking for another place. */
export function countOwnersWithoutMoving(
  { rule, owners }: RunningAntiAffinity,
  moving: readonly PodOnNode[],
  problem: Problem,
): Map<string, number> {
  const remaining = new Map(owners);
  for (const { pod, bin } of moving) {
    const domain = bin.labels[rule.key];
    if (domain === undefined) continue;
    for (const term of pod.spec.podAntiAffinity) {
      const podRule = createAffinityRule('anti-affinity', term, pod, problem.snapshot.namespaces);
      if (podRule.id === rule.id) addCount(remaining, domain, -1);
    }
  }
  return remaining;
}

/** Label keys that a selector of any pod reads, running or in the batch. */
export const findRelevantLabelKeys = (
  problem: Problem,
  batch: readonly Pod[],
): ReadonlySet<string> =>
  new Set([...findKeysOfRunningPods(problem), ...findSelectorLabelKeys(batch)]);

const findKeysOfRunningPods = onceRunning(({ running }) =>
  findSelectorLabelKeys(running.flatMap(({ pods }) => pods)),
);
