import type { Labels } from '../../../shared/model/labels.ts';
import { normaliseLabelKey } from '../../../shared/model/labels.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../../shared/model/pod.ts';
import { type Audience, affinityAudience, spreadAudience } from '../checker/pod-rules.ts';
import { matchesNode, toleratesNode } from './node-filters.ts';
import type { SchedulerNode } from './scheduler-nodes.ts';

/** @returns why the pod may not come to the node, given where the others are */
export type ClusterFilter = (node: SchedulerNode) => string | undefined;

export type Namespaces = Readonly<Record<string, Labels>>;

/** The rules of a pod about other pods, and those of others about it, as they stand now. */
export const clusterFilters = (
  pod: Pod,
  nodes: readonly SchedulerNode[],
  namespaces: Namespaces,
): ClusterFilter[] => [
  ...spreadFilters(pod, nodes),
  ...affinityFilters(pod, nodes, namespaces),
  ...antiAffinityFilters(pod, nodes, namespaces),
  ...othersFilters(pod, nodes, namespaces),
];

const SPREAD = "node(s) didn't match pod topology spread constraints";
const AFFINITY = "node(s) didn't match pod affinity rules";
const ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules";

function spreadFilters(pod: Pod, nodes: readonly SchedulerNode[]): ClusterFilter[] {
  const hard = pod.spec.topologySpread.filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  );
  const keys = hard.map(({ key }) => normaliseLabelKey(key));
  const complete = nodes.filter(({ node }) => keys.every((key) => key in node.labels));
  return hard.map((constraint) => spreadFilter(constraint, pod, complete));
}

function spreadFilter(
  constraint: TopologySpreadConstraint,
  pod: Pod,
  nodes: readonly SchedulerNode[],
): ClusterFilter {
  const audience = spreadAudience(constraint, pod);
  const counts = countsByDomain(
    audience,
    nodes.filter((node) => isCounted(constraint, pod, node)),
  );
  const isShort = counts.size < (constraint.minDomains ?? 0);
  const least = isShort || counts.size === 0 ? 0 : Math.min(...counts.values());
  const itself = audience.includes(pod) ? 1 : 0;
  return ({ node }) => {
    const domain = node.labels[audience.key];
    if (domain === undefined) return SPREAD;
    return (counts.get(domain) ?? 0) + itself - least > constraint.maxSkew ? SPREAD : undefined;
  };
}

/** Whether what is on a node belongs to the count of a constraint. */
export const isCounted = (
  { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
  { spec }: Pod,
  node: SchedulerNode,
): boolean =>
  (nodeAffinityPolicy === 'Ignore' || matchesNode(spec, node)) &&
  (nodeTaintsPolicy === 'Ignore' || toleratesNode(spec, node));

/** A node without any such pod makes its domain one with 0. */
export function countsByDomain(
  { key, includes }: Audience,
  nodes: readonly SchedulerNode[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { node, pods } of nodes) {
    const domain = node.labels[key];
    if (domain === undefined) continue;
    const count = pods.reduce((sum, pod) => sum + (includes(pod) ? 1 : 0), 0);
    counts.set(domain, (counts.get(domain) ?? 0) + count);
  }
  return counts;
}

/** A pod that must join others may be the first if it would join itself. */
function affinityFilters(
  pod: Pod,
  nodes: readonly SchedulerNode[],
  namespaces: Namespaces,
): ClusterFilter[] {
  const audiences = pod.spec.podAffinity.map((term) => affinityAudience(term, pod, namespaces));
  if (audiences.length === 0) return [];
  const all = (other: Pod): boolean => audiences.every(({ includes }) => includes(other));
  const domains = audiences.map(({ key }) => occupied(key, all, nodes));
  const isFirst = domains.every(({ size }) => size === 0) && all(pod);
  return [
    ({ node }) => {
      const joins = audiences.every(({ key }, index) => {
        const domain = node.labels[key];
        return domain !== undefined && (isFirst || domains[index]?.has(domain));
      });
      return joins ? undefined : AFFINITY;
    },
  ];
}

const antiAffinityFilters = (
  pod: Pod,
  nodes: readonly SchedulerNode[],
  namespaces: Namespaces,
): ClusterFilter[] =>
  pod.spec.podAntiAffinity.map((term) => {
    const { key, includes } = affinityAudience(term, pod, namespaces);
    return awayFrom(key, occupied(key, includes, nodes));
  });

/** Pods that run already keep away those that they refuse. */
function othersFilters(
  pod: Pod,
  nodes: readonly SchedulerNode[],
  namespaces: Namespaces,
): ClusterFilter[] {
  const refused = new Map<string, Set<string>>();
  for (const { node, pods } of nodes) {
    for (const other of pods) {
      for (const term of other.spec.podAntiAffinity) {
        const { key, includes } = rememberedAudience(term, other, namespaces);
        const domain = node.labels[key];
        if (domain === undefined || !includes(pod)) continue;
        refused.set(key, (refused.get(key) ?? new Set()).add(domain));
      }
    }
  }
  return [...refused].map(([key, domains]) => awayFrom(key, domains));
}

const awayFrom =
  (key: string, domains: ReadonlySet<string>): ClusterFilter =>
  ({ node }) =>
    domains.has(node.labels[key] ?? '') ? ANTI_AFFINITY : undefined;

function occupied(
  key: string,
  includes: (pod: Pod) => boolean,
  nodes: readonly SchedulerNode[],
): Set<string> {
  const held = nodes.filter(({ pods }) => pods.some(includes));
  return new Set(held.flatMap(({ node }) => node.labels[key] ?? []));
}

// Every pod that comes is held against the terms of every pod that is there.
const audiences = new WeakMap<Pod, Map<PodAffinityTerm, Audience>>();

export function rememberedAudience(
  term: PodAffinityTerm,
  owner: Pod,
  namespaces: Namespaces,
): Audience {
  const known = audiences.get(owner) ?? new Map<PodAffinityTerm, Audience>();
  audiences.set(owner, known);
  const audience = known.get(term) ?? affinityAudience(term, owner, namespaces);
  known.set(term, audience);
  return audience;
}
