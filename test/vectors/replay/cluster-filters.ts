import type { Labels } from '../../../shared/model/labels.ts';
import { normaliseLabelKey } from '../../../shared/model/labels.ts';
import { getOrCreate } from '../../../shared/model/memo.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../../shared/model/pods/pod.ts';
import { type PodSelector, toAffinityPodSelector, toSpreadPodSelector } from '../checker/pod-rules.ts';
import { matchesNode, toleratesNode } from './node-filters.ts';
import type { SchedulerNode } from './scheduler-nodes.ts';

/**
 * @returns the reason why the node is not feasible for the pod, given the pods on all nodes; or
 *   undefined
 */
export type ClusterFilter = (node: SchedulerNode) => string | undefined;

export type Namespaces = Readonly<Record<string, Labels>>;

/** Builds the filters for the pod's own topology rules, and for the anti-affinity of other pods. */
export const buildClusterFilters = (
  pod: Pod,
  nodes: readonly SchedulerNode[],
  namespaces: Namespaces,
): ClusterFilter[] => [
  ...buildSpreadFilters(pod, nodes),
  ...buildAffinityFilters(pod, nodes, namespaces),
  ...buildAntiAffinityFilters(pod, nodes, namespaces),
  ...buildInverseAntiAffinityFilters(pod, nodes, namespaces),
];

const SPREAD = "node(s) didn't match pod topology spread constraints";
const AFFINITY = "node(s) didn't match pod affinity rules";
const ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules";

function buildSpreadFilters(pod: Pod, nodes: readonly SchedulerNode[]): ClusterFilter[] {
  const hardConstraints = pod.spec.topologySpread.filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  );
  const keys = hardConstraints.map(({ key }) => normaliseLabelKey(key));
  const nodesWithAllKeys = nodes.filter(({ node }) => keys.every((key) => key in node.labels));
  return hardConstraints.map((constraint) => buildSpreadFilter(constraint, pod, nodesWithAllKeys));
}

function buildSpreadFilter(
  constraint: TopologySpreadConstraint,
  pod: Pod,
  nodes: readonly SchedulerNode[],
): ClusterFilter {
  const audience = toSpreadPodSelector(constraint, pod);
  const counts = countByDomain(
    audience,
    nodes.filter((node) => isCounted(constraint, pod, node)),
  );
  const hasTooFewDomains = counts.size < (constraint.minDomains ?? 0);
  const min = hasTooFewDomains || counts.size === 0 ? 0 : Math.min(...counts.values());
  const itself = audience.includes(pod) ? 1 : 0;
  return ({ node }) => {
    const domain = ownValue(node.labels, audience.key);
    if (domain === undefined) return SPREAD;
    return (counts.get(domain) ?? 0) + itself - min > constraint.maxSkew ? SPREAD : undefined;
  };
}

/** Returns whether the constraint counts the pods on the node. */
export const isCounted = (
  { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
  { spec }: Pod,
  node: SchedulerNode,
): boolean =>
  (nodeAffinityPolicy === 'Ignore' || matchesNode(spec, node)) &&
  (nodeTaintsPolicy === 'Ignore' || toleratesNode(spec, node));

/**
 * Counts matching pods by domain. A node without matching pods still makes its domain one with 0.
 */
export function countByDomain({ key, includes }: PodSelector, nodes: readonly SchedulerNode[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { node, pods } of nodes) {
    const domain = ownValue(node.labels, key);
    if (domain === undefined) continue;
    const count = pods.reduce((sum, pod) => sum + (includes(pod) ? 1 : 0), 0);
    counts.set(domain, (counts.get(domain) ?? 0) + count);
  }
  return counts;
}

/** Builds the filter for required affinity. The first pod passes if it matches its own terms. */
function buildAffinityFilters(pod: Pod, nodes: readonly SchedulerNode[], namespaces: Namespaces): ClusterFilter[] {
  const audiences = pod.spec.podAffinity.map((term) => toAffinityPodSelector(term, pod, namespaces));
  if (audiences.length === 0) return [];
  const all = (other: Pod): boolean => audiences.every(({ includes }) => includes(other));
  const domains = audiences.map(({ key }) => listOccupiedDomains(key, all, nodes));
  const isFirst = domains.every(({ size }) => size === 0) && all(pod);
  return [
    ({ node }) => {
      const joins = audiences.every(({ key }, index) => {
        const domain = ownValue(node.labels, key);
        return domain !== undefined && (isFirst || domains[index]?.has(domain));
      });
      return joins ? undefined : AFFINITY;
    },
  ];
}

const buildAntiAffinityFilters = (pod: Pod, nodes: readonly SchedulerNode[], namespaces: Namespaces): ClusterFilter[] =>
  pod.spec.podAntiAffinity.map((term) => {
    const { key, includes } = toAffinityPodSelector(term, pod, namespaces);
    return buildAvoidanceFilter(key, listOccupiedDomains(key, includes, nodes));
  });

/** Builds filters for the required anti-affinity of pods that are bound already. */
function buildInverseAntiAffinityFilters(
  pod: Pod,
  nodes: readonly SchedulerNode[],
  namespaces: Namespaces,
): ClusterFilter[] {
  const refusedDomains = new Map<string, Set<string>>();
  for (const { node, pods } of nodes) {
    for (const other of pods) {
      for (const term of other.spec.podAntiAffinity) {
        const { key, includes } = findCachedAudience(term, other, namespaces);
        const domain = ownValue(node.labels, key);
        if (domain === undefined || !includes(pod)) continue;
        refusedDomains.set(key, (refusedDomains.get(key) ?? new Set()).add(domain));
      }
    }
  }
  return [...refusedDomains].map(([key, domains]) => buildAvoidanceFilter(key, domains));
}

const buildAvoidanceFilter =
  (key: string, domains: ReadonlySet<string>): ClusterFilter =>
  ({ node }) =>
    domains.has(ownValue(node.labels, key) ?? '') ? ANTI_AFFINITY : undefined;

function listOccupiedDomains(
  key: string,
  includes: (pod: Pod) => boolean,
  nodes: readonly SchedulerNode[],
): Set<string> {
  const nodesWithPods = nodes.filter(({ pods }) => pods.some(includes));
  return new Set(nodesWithPods.flatMap(({ node }) => ownValue(node.labels, key) ?? []));
}

// Caches the scopes of affinity terms: each new pod is matched against the terms of all bound pods.
const audiences = new WeakMap<Pod, Map<PodAffinityTerm, PodSelector>>();

export function findCachedAudience(term: PodAffinityTerm, owner: Pod, namespaces: Namespaces): PodSelector {
  const cached = getOrCreate(audiences, owner, () => new Map());
  return getOrCreate(cached, term, () => toAffinityPodSelector(term, owner, namespaces));
}
