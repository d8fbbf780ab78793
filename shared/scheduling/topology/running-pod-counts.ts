import type { Pod } from '../../model/pod.ts';
import { matchesLabels } from '../../model/requirements.ts';
import { untoleratedTaint } from '../../model/taints.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import { labelKeysThatMatter } from '../pods/pod-classes.ts';
import type { Problem } from '../input/problem.ts';
import { onceRunning } from '../input/memo.ts';
import {
  affinityRule,
  bump,
  isSelected,
  type NodeFilter,
  type TopologyRule,
} from './topology-rules.ts';

/** Pods that a rule selects, by domain, as they run; and the domains that have a node at all. */
export interface RunningCount {
  readonly counts: ReadonlyMap<string, number>;
  readonly present: ReadonlySet<string>;
}

/** A required anti-affinity of pods that run, and how many of its owners are in each domain. */
export interface RunningRule {
  readonly rule: TopologyRule;
  readonly owners: ReadonlyMap<string, number>;
}

const knownCounts = onceRunning(() => new Map<string, RunningCount>());

/** @see kube-scheduler: terminating pods are not counted, nodes without the key are no domain */
export function runningCount(rule: TopologyRule, problem: Problem): RunningCount {
  const known = knownCounts(problem);
  const found = known.get(rule.id);
  if (found) return found;

  const counts = new Map<string, number>();
  const present = new Set<string>();
  const domainOf = new Map<ExistingBin, string>();
  for (const bin of problem.running) {
    const domain = bin.labels[rule.key];
    if (domain === undefined || !passes(rule.filter, bin)) continue;
    domainOf.set(bin, domain);
    if (!bin.leaving) present.add(domain);
  }
  for (const { alike, bins } of runningKinds(problem)) {
    if (!isSelected(rule, alike)) continue;
    for (const bin of bins) {
      const domain = domainOf.get(bin);
      if (domain !== undefined) bump(counts, domain, 1);
    }
  }
  const count = { counts, present };
  known.set(rule.id, count);
  return count;
}

/** Running pods that no selector tells apart. */
interface RunningKind {
  readonly alike: Pick<Pod, 'namespace' | 'labels'>;
  /** The bin of each of them. */
  readonly bins: ExistingBin[];
}

/** Pods of one template share their labels: of 150,000 that run there are some hundred kinds. */
const runningKinds = onceRunning(({ running }): readonly RunningKind[] => {
  const byLabels = new Map<Pod['labels'], RunningKind[]>();
  for (const bin of running) {
    for (const pod of bin.pods) {
      if (pod.deletionAt !== undefined) continue;
      const kinds = byLabels.get(pod.labels) ?? [];
      byLabels.set(pod.labels, kinds);
      const known = kinds.find(({ alike }) => alike.namespace === pod.namespace);
      if (known) known.bins.push(bin);
      else kinds.push({ alike: pod, bins: [bin] });
    }
  }
  return [...byLabels.values()].flat();
});

/** The count without some of the pods: they are looking for another place. */
export function countWithout(
  { counts }: RunningCount,
  rule: TopologyRule,
  moving: readonly PodOnBin[],
): Map<string, number> {
  const left = new Map(counts);
  for (const { pod, bin } of moving) {
    const domain = bin.labels[rule.key];
    if (domain !== undefined && isCounted(pod, rule) && passes(rule.filter, bin)) {
      bump(left, domain, -1);
    }
  }
  return left;
}

export interface PodOnBin {
  readonly pod: Pod;
  readonly bin: ExistingBin;
}

/** The pods of a batch that run, with where. */
export function podsOnBins(batch: readonly Pod[], problem: Problem): PodOnBin[] {
  const byNode = binsByNode(problem);
  return batch.flatMap((pod) => {
    const bin = pod.nodeName === undefined ? undefined : byNode.get(pod.nodeName);
    return bin ? [{ pod, bin }] : [];
  });
}

const binsByNode = onceRunning(
  ({ running }) =>
    new Map(running.flatMap((bin) => (bin.node ? [[bin.node.name, bin] as const] : []))),
);

const isCounted = (pod: Pod, rule: TopologyRule): boolean =>
  pod.deletionAt === undefined && isSelected(rule, pod);

/** Whether pods on such a node count, and its domain with them. */
export function passes(
  filter: NodeFilter | undefined,
  bin: Pick<ExistingBin, 'labels' | 'taints'>,
): boolean {
  if (!filter) return true;
  const { anyOf } = filter;
  if (anyOf && !anyOf.some((term) => matchesLabels(term, bin.labels))) return false;
  return !filter.tolerations || !untoleratedTaint(bin.taints, filter.tolerations);
}

/** Every required anti-affinity that some running pod carries. */
export const runningRules = onceRunning(({ running, snapshot }): readonly RunningRule[] => {
  const byId = new Map<string, { rule: TopologyRule; owners: Map<string, number> }>();
  for (const bin of running) {
    for (const pod of bin.pods) {
      for (const term of pod.spec.podAntiAffinity) {
        const rule = affinityRule('anti-affinity', term, pod, snapshot.namespaces);
        const entry = byId.get(rule.id) ?? { rule, owners: new Map<string, number>() };
        byId.set(rule.id, entry);
        const domain = bin.labels[rule.key];
        if (domain !== undefined) bump(entry.owners, domain, 1);
      }
    }
  }
  return [...byId.values()];
});

/** The owners of a rule by domain, less those that are looking for another place. */
export function ownersWithout(
  { rule, owners }: RunningRule,
  moving: readonly PodOnBin[],
  problem: Problem,
): Map<string, number> {
  const left = new Map(owners);
  for (const { pod, bin } of moving) {
    const domain = bin.labels[rule.key];
    if (domain === undefined) continue;
    for (const term of pod.spec.podAntiAffinity) {
      const own = affinityRule('anti-affinity', term, pod, problem.snapshot.namespaces);
      if (own.id === rule.id) bump(left, domain, -1);
    }
  }
  return left;
}

/** Label keys that a selector of any pod reads, running or in the batch. */
export const labelKeysOf = (problem: Problem, batch: readonly Pod[]): ReadonlySet<string> =>
  new Set([...keysOfRunning(problem), ...labelKeysThatMatter(batch)]);

const keysOfRunning = onceRunning(({ running }) =>
  labelKeysThatMatter(running.flatMap(({ pods }) => pods)),
);
