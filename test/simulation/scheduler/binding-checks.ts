import { normaliseLabelKey } from '../../../shared/model/labels.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../../shared/model/pods/pod.ts';
import { matchesLabels, toRequirements } from '../../../shared/model/requirements/requirements.ts';
import { selects } from '../../../shared/model/requirements/selectors.ts';
import { findUntoleratedTaint } from '../../../shared/model/requirements/taints.ts';
import { addResources } from '../../../shared/model/resources.ts';
import { listShortages } from '../../support/resources.ts';

/**
 * Lists all kube-scheduler rules that binding `pod` to `node` beside `others` would violate,
 * checked pod by pod without the simulated scheduler's caches. All pods must have the same
 * namespace.
 */
export function listViolations(
  pod: Pod,
  node: Node,
  nodes: readonly Node[],
  others: readonly Pod[],
): readonly string[] {
  const bound = others.filter(({ nodeName, phase }) => nodeName !== undefined && phase !== 'Failed');
  const podsOnNode = bound.filter(({ nodeName }) => nodeName === node.name);
  const nodeOf = (other: Pod): Node | undefined => nodes.find(({ name }) => name === other.nodeName);

  const used = addResources(...[...podsOnNode, pod].map(({ spec }) => spec.requests));
  return [
    ...listShortages(used, node.allocatable).map((name) => `over allocatable: ${name}`),
    ...(matchesNodeLabels(pod, node) ? [] : ['labels']),
    ...(toleratesTaints(pod, node) ? [] : ['taints']),
    ...(hasPortConflict(pod, podsOnNode) ? ['host port'] : []),
    ...pod.spec.topologySpread
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
      .filter((constraint) => isSkewed(constraint, pod, node, nodes, bound))
      .map(({ key }) => `spread over ${key}`),
    ...pod.spec.podAntiAffinity
      .filter((term) => bound.some((other) => isSelected(term, other) && shareDomain(term.key, node, nodeOf(other))))
      .map(({ key }) => `refuses a neighbour in ${key}`),
    ...bound
      .filter((other) =>
        other.spec.podAntiAffinity.some((term) => isSelected(term, pod) && shareDomain(term.key, node, nodeOf(other))),
      )
      .map(({ name }) => `is refused by ${name}`),
    ...(satisfiesAffinity(pod, node, bound, nodeOf) ? [] : ['affinity']),
  ];
}

function matchesNodeLabels({ spec }: Pod, { labels }: Node): boolean {
  const selected = Object.entries(spec.nodeSelector).every(([key, value]) => labels[normaliseLabelKey(key)] === value);
  const terms = spec.requiredNodeTerms;
  return selected && (terms.length === 0 || terms.some((term) => matchesLabels(toRequirements(term), labels)));
}

const toleratesTaints = ({ spec }: Pod, { taints }: Node): boolean =>
  findUntoleratedTaint(
    taints.filter(({ effect }) => effect !== 'PreferNoSchedule'),
    spec.tolerations,
  ) === undefined;

const hasPortConflict = ({ spec }: Pod, podsOnNode: readonly Pod[]): boolean =>
  podsOnNode.some((other) => other.spec.hostPorts.some(({ port }) => spec.hostPorts.some((own) => own.port === port)));

function isSkewed(
  constraint: TopologySpreadConstraint,
  pod: Pod,
  node: Node,
  nodes: readonly Node[],
  bound: readonly Pod[],
): boolean {
  const { key, maxSkew, selector, minDomains = 1 } = constraint;
  const target = node.labels[key];
  if (target === undefined) return true;
  const hard = pod.spec.topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
  const eligible = nodes.filter(
    (candidate) =>
      hard.every((other) => candidate.labels[other.key] !== undefined) &&
      (constraint.nodeAffinityPolicy === 'Ignore' || matchesNodeLabels(pod, candidate)) &&
      (constraint.nodeTaintsPolicy === 'Ignore' || toleratesTaints(pod, candidate)),
  );
  const domains = new Set(eligible.map(({ labels }) => labels[key] ?? ''));
  const countIn = (domain: string): number =>
    bound.filter(
      (other) =>
        other.deletionAt === undefined &&
        selects(selector, other.labels) &&
        eligible.some(({ name, labels }) => name === other.nodeName && labels[key] === domain),
    ).length;

  const minimum = domains.size < minDomains ? 0 : Math.min(...[...domains].map(countIn));
  return countIn(target) + (selects(selector, pod.labels) ? 1 : 0) - minimum > maxSkew;
}

const isSelected = ({ selector }: PodAffinityTerm, { labels }: Pod): boolean => selects(selector, labels);

const shareDomain = (key: string, a: Node, b: Node | undefined): boolean =>
  a.labels[key] !== undefined && a.labels[key] === b?.labels[key];

function satisfiesAffinity(
  { spec, labels }: Pod,
  node: Node,
  bound: readonly Pod[],
  nodeOf: (pod: Pod) => Node | undefined,
): boolean {
  if (spec.podAffinity.length === 0) return true;
  const selectedPods = bound.filter((other) => spec.podAffinity.every((term) => isSelected(term, other)));
  const isFirst =
    !selectedPods.some((other) => spec.podAffinity.some(({ key }) => nodeOf(other)?.labels[key])) &&
    spec.podAffinity.every(({ selector }) => selects(selector, labels));
  return isFirst
    ? spec.podAffinity.every(({ key }) => node.labels[key] !== undefined)
    : spec.podAffinity.every(({ key }) => selectedPods.some((other) => shareDomain(key, node, nodeOf(other))));
}
