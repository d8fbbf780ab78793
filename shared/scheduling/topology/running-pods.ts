import type { Pod } from '../../model/pod.ts';
import { matchesLabels } from '../../model/requirements.ts';
import { untoleratedTaint } from '../../model/taints.ts';
import type { ExistingBin } from '../nodes/existing-bins.ts';
import { labelKeysThatMatter } from '../pods/pod-classes.ts';
import type { Problem } from '../problem.ts';
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

/** @see kube-scheduler: terminating pods are not counted, nodes without the key are no domain */
export function runningCount(rule: TopologyRule, problem: Problem): RunningCount {
  const known = problem.memory.counts.get(rule.id);
  if (known) return known;

  const counts = new Map<string, number>();
  const present = new Set<string>();
  const domainOf = new Map<ExistingBin, string>();
  for (const bin of problem.bins) {
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
  problem.memory.counts.set(rule.id, count);
  return count;
}

/** Running pods that no selector tells apart. */
export interface RunningKind {
  readonly alike: Pick<Pod, 'namespace' | 'labels'>;
  /** The bin of each of them. */
  readonly bins: ExistingBin[];
}

/** Pods of one template share their labels: of 150,000 that run there are some hundred kinds. */
function runningKinds(problem: Problem): readonly RunningKind[] {
  problem.memory.runningKinds ??= collectKinds(problem.bins);
  return problem.memory.runningKinds;
}

function collectKinds(bins: readonly ExistingBin[]): RunningKind[] {
  const byLabels = new Map<Pod['labels'], RunningKind[]>();
  for (const bin of bins) {
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
}

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
export function runningRules(problem: Problem): readonly RunningRule[] {
  problem.memory.runningRules ??= collectRules(problem);
  return problem.memory.runningRules;
}

function collectRules(problem: Problem): RunningRule[] {
  const byId = new Map<string, { rule: TopologyRule; owners: Map<string, number> }>();
  for (const bin of problem.bins) {
    for (const pod of bin.pods) {
      for (const term of pod.spec.podAntiAffinity) {
        const rule = affinityRule('anti-affinity', term, pod, problem.snapshot.namespaces);
        const entry = byId.get(rule.id) ?? { rule, owners: new Map<string, number>() };
        byId.set(rule.id, entry);
        const domain = bin.labels[rule.key];
        if (domain !== undefined) bump(entry.owners, domain, 1);
      }
    }
  }
  return [...byId.values()];
}

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
export function labelKeysOf(problem: Problem, batch: readonly Pod[]): ReadonlySet<string> {
  problem.memory.labelKeys ??= labelKeysThatMatter(problem.bins.flatMap(({ pods }) => pods));
  return new Set([...problem.memory.labelKeys, ...labelKeysThatMatter(batch)]);
}
