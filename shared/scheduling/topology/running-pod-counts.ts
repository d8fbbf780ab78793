import { getOrCreate, memoize } from '../../model/memo.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { matchesLabels } from '../../model/requirements/requirements.ts';
import { findUntoleratedTaint } from '../../model/requirements/taints.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import { listPodsToMove } from '../input/plan-batch.ts';
import { memoizePerRunningPods, type Problem } from '../input/problem.ts';
import { findSelectorLabelKeys } from '../pods/pod-classes.ts';
import { addCount, createAffinityRule, isSelected, type NodeFilter, type TopologyRule } from './topology-rules.ts';

/** The running pods that a rule selects, by domain, and the domains that have a node. */
export interface RunningPodCounts {
  readonly counts: ReadonlyMap<string, number>;
  readonly presentDomains: ReadonlySet<string>;
}

/** A required anti-affinity rule of running pods, and how many of these pods are in each domain. */
export interface RunningAntiAffinity {
  readonly rule: TopologyRule;
  readonly owners: ReadonlyMap<string, number>;
}

const countsByRuleId = memoizePerRunningPods(() => new Map<string, RunningPodCounts>());

/**
 * Counts the running pods that a rule selects.
 *
 * @see kube-scheduler: terminating pods are not counted, and nodes without the topology key belong
 *   to no domain
 */
export function countRunningPods(rule: TopologyRule, problem: Problem): RunningPodCounts {
  const countsById = countsByRuleId(problem);
  return getOrCreate(countsById, rule.id, () => {
    const counts = new Map<string, number>();
    const presentDomains = new Set<string>();
    const domainOf = new Map<ExistingNode, string>();
    for (const node of problem.runningNodes) {
      const domain = ownValue(node.labels, rule.key);
      if (domain === undefined || !passesFilter(rule.filter, node)) continue;
      domainOf.set(node, domain);
      if (!node.leaving) presentDomains.add(domain);
    }
    for (const { pod, nodes } of groupRunningPods(problem)) {
      if (!isSelected(rule, pod)) continue;
      for (const node of nodes) {
        const domain = domainOf.get(node);
        if (domain !== undefined) addCount(counts, domain, 1);
      }
    }
    return { counts, presentDomains };
  });
}

/** Running pods that no selector can distinguish. */
interface RunningPodGroup {
  readonly pod: Pick<Pod, 'namespace' | 'labels'>;
  /** The node of each of these pods. */
  readonly nodes: ExistingNode[];
}

/**
 * Groups running pods by labels. Pods of one template share their labels: 150,000 running pods form
 * a few hundred groups.
 */
const groupRunningPods = memoizePerRunningPods(({ runningNodes }): readonly RunningPodGroup[] => {
  const byLabels = new Map<Pod['labels'], RunningPodGroup[]>();
  for (const node of runningNodes) {
    for (const pod of node.pods) {
      if (pod.deletionAt !== undefined) continue;
      const groups = getOrCreate(byLabels, pod.labels, () => []);
      const group = groups.find(({ pod: example }) => example.namespace === pod.namespace);
      if (group) group.nodes.push(node);
      else groups.push({ pod, nodes: [node] });
    }
  }
  return [...byLabels.values()].flat();
});

/** Returns the counts without the pods of the batch that are moving to another node. */
export function countWithoutMovingPods(
  { counts }: RunningPodCounts,
  rule: TopologyRule,
  moving: readonly PodOnNode[],
): Map<string, number> {
  const remaining = new Map(counts);
  for (const { pod, node } of moving) {
    const domain = ownValue(node.labels, rule.key);
    if (domain !== undefined && isCounted(pod, rule) && passesFilter(rule.filter, node)) {
      addCount(remaining, domain, -1);
    }
  }
  return remaining;
}

/**
 * Counts the pods that an affinity rule selects on nodes that are being removed, without the pods of the
 * batch. kube-scheduler binds pods beside them, but once they are evicted nothing keeps them together.
 */
export function countLeavingPods(
  rule: TopologyRule,
  moving: readonly PodOnNode[],
  problem: Problem,
): ReadonlyMap<string, number> {
  const leaving = rule.kind === 'affinity' ? listLeavingPods(problem) : [];
  if (leaving.length === 0) return NO_COUNTS;
  const counts = new Map<string, number>();
  const inBatch = new Set(moving.map(({ pod }) => pod));
  for (const { pod, node } of leaving) {
    const domain = ownValue(node.labels, rule.key);
    if (domain === undefined || inBatch.has(pod)) continue;
    if (isCounted(pod, rule) && passesFilter(rule.filter, node)) addCount(counts, domain, 1);
  }
  return counts;
}

const NO_COUNTS: ReadonlyMap<string, number> = new Map();

const listLeavingPods = memoizePerRunningPods((problem): readonly PodOnNode[] =>
  problem.runningNodes
    .filter(({ leaving }) => leaving)
    .flatMap((node) => listPodsToMove(node, problem).map((pod) => ({ pod, node }))),
);

export interface PodOnNode {
  readonly pod: Pod;
  readonly node: ExistingNode;
}

/** Lists the pods of a batch that run, each with its node. */
export function listPodsOnNodes(batch: readonly Pod[], problem: Problem): PodOnNode[] {
  const byNode = nodesByName(problem);
  return batch.flatMap((pod) => {
    const node = pod.nodeName === undefined ? undefined : byNode.get(pod.nodeName);
    return node ? [{ pod, node }] : [];
  });
}

const nodesByName = memoizePerRunningPods(
  ({ runningNodes }) => new Map(runningNodes.flatMap((node) => (node.node ? [[node.node.name, node] as const] : []))),
);

const isCounted = (pod: Pod, rule: TopologyRule): boolean => pod.deletionAt === undefined && isSelected(rule, pod);

/** True if a rule with this filter counts pods on the node and treats its domain as a domain. */
export function passesFilter(filter: NodeFilter | undefined, node: Pick<ExistingNode, 'labels' | 'taints'>): boolean {
  if (!filter) return true;
  const { anyOf } = filter;
  if (anyOf && !anyOf.some((term) => matchesLabels(term, node.labels))) return false;
  return !filter.tolerations || !findUntoleratedTaint(node.taints, filter.tolerations);
}

/** Lists every required anti-affinity rule that a running pod carries. */
export const listRunningAntiAffinities = memoizePerRunningPods(
  ({ runningNodes, snapshot }): readonly RunningAntiAffinity[] => {
    const byId = new Map<string, { rule: TopologyRule; owners: Map<string, number> }>();
    for (const node of runningNodes) {
      for (const pod of node.pods) {
        for (const term of pod.spec.podAntiAffinity) {
          const rule = createAffinityRule('anti-affinity', term, pod, snapshot.namespaces);
          const entry = getOrCreate(byId, rule.id, () => ({
            rule,
            owners: new Map<string, number>(),
          }));
          const domain = ownValue(node.labels, rule.key);
          if (domain !== undefined) addCount(entry.owners, domain, 1);
        }
      }
    }
    return [...byId.values()];
  },
);

/**
 * Counts the pods that carry a rule by domain, without the pods of the batch that are moving to
 * another node.
 */
export function countOwnersWithoutMovingPods(
  { rule, owners }: RunningAntiAffinity,
  moving: readonly PodOnNode[],
  problem: Problem,
): Map<string, number> {
  const remaining = new Map(owners);
  for (const { pod, node } of moving) {
    const domain = ownValue(node.labels, rule.key);
    if (domain === undefined) continue;
    for (const term of pod.spec.podAntiAffinity) {
      const podRule = createAffinityRule('anti-affinity', term, pod, problem.snapshot.namespaces);
      if (podRule.id === rule.id) addCount(remaining, domain, -1);
    }
  }
  return remaining;
}

/** Finds the label keys that a selector of any running pod, or of any pod in the batch, reads. */
export const findRelevantLabelKeys = (problem: Problem, batch: readonly Pod[]): ReadonlySet<string> =>
  new Set([...findKeysOfRunningPods(problem), ...findSelectorLabelKeys(batch)]);

const findKeysOfRunningPods = memoizePerRunningPods(
  ({ runningNodes }) => new Set(runningNodes.flatMap((node) => [...findKeysOfNode(node)])),
);

// Most nodes are the same objects in the next decision.
const findKeysOfNode = memoize(({ pods }: ExistingNode) => findSelectorLabelKeys(pods));
