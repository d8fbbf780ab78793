import { INITIALIZED_LABEL, type Labels, normaliseLabelKey, REGISTERED_LABEL } from '../../../shared/model/labels.ts';
import { getOrCreate } from '../../../shared/model/memo.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import type { HostPort, NodeSelectorTerm, Pod, PodSpec } from '../../../shared/model/pods/pod.ts';
import { podKey } from '../../../shared/model/pods/pod.ts';
import { type DaemonSet, isDaemon } from '../../../shared/model/pods/workload.ts';
import { matchesLabels, type Requirements, toRequirements } from '../../../shared/model/requirements/requirements.ts';
import { findUntoleratedTaint, formatTaint, type Taint } from '../../../shared/model/requirements/taints.ts';
import { addResources, maxResources, type Resources, subtractResources } from '../../../shared/model/resources.ts';
import { listShortages } from '../../support/resources.ts';
import type { FinalNode } from './final-nodes.ts';
import type { NodeVariant } from './node-variants.ts';

/** Finds what a kubelet or kube-scheduler would reject on one node, regardless of other nodes. */
export function findNodeViolations(node: FinalNode, daemonSets: readonly DaemonSet[]): string[] {
  if (node.arriving.length === 0) return [];
  const { name, leaving, taints, variants, arriving, bound } = node;
  if (leaving) return [`${name} is leaving, but pods are sent there`];
  const pods = sumRequests([...bound, ...arriving].map(({ spec }) => spec));
  return [
    ...arriving.flatMap((pod) => findTaintViolations(pod, taints, name)),
    ...variants.flatMap((variant) => findVariantViolations(node, variant, pods, daemonSets)),
  ];
}

function findTaintViolations(pod: Pod, taints: readonly Taint[], node: string): string[] {
  const hard = taints.filter(({ effect }) => effect !== 'PreferNoSchedule');
  const taint = findUntoleratedTaint(hard, pod.spec.tolerations);
  return taint ? [`${podKey(pod)} does not tolerate ${formatTaint(taint)} of ${node}`] : [];
}

function findVariantViolations(
  node: FinalNode,
  variant: NodeVariant,
  pods: Resources,
  daemonSets: readonly DaemonSet[],
): string[] {
  const where = node.name === variant.name ? node.name : `${node.name} as ${variant.name}`;
  const daemons = daemonSets.filter((daemonSet) => willRunOn(daemonSet, variant, node.taints));
  return [
    ...listOverflows(node, variant, pods, daemons).map((resource) => `${resource} overflows on ${where}`),
    ...listExcludedPods(node.arriving, variant).map((pod) => `${pod} may not run on ${where}`),
    ...listPortConflicts(node, daemons).map((port) => `port ${port} is wanted twice on ${where}`),
  ];
}

function listOverflows(
  { bound, planned }: FinalNode,
  { allocatable }: NodeVariant,
  pods: Resources,
  daemons: readonly DaemonSet[],
): string[] {
  const expected = sumRequests(daemons.map(({ template }) => template.spec));
  const running = sumRequests(bound.filter(isDaemon).map(({ spec }) => spec));
  // DaemonSet pods that already run must not be counted twice.
  const toCome = planned ? expected : maxResources({}, subtractResources(expected, running));
  return listShortages(addResources(pods, toCome), allocatable);
}

const sumRequests = (specs: readonly PodSpec[]): Resources => addResources(...specs.map(({ requests }) => requests));

/** Lists the pods whose node affinity the variant does not meet. */
const listExcludedPods = (pods: readonly Pod[], { labels }: NodeVariant): string[] => {
  const judged = new Map<PodSpec, boolean>();
  return pods
    .filter(({ spec }) => {
      const existing = getOrCreate(judged, spec, () => meetsAffinity(spec, labels));
      return !existing;
    })
    .map(podKey);
};

export const meetsAffinity = ({ nodeSelector, requiredNodeTerms }: PodSpec, labels: Labels): boolean =>
  Object.entries(nodeSelector).every(([key, value]) => ownValue(labels, normaliseLabelKey(key)) === value) &&
  (requiredNodeTerms.length === 0 || requiredNodeTerms.some((term) => matchesLabels(getRequirements(term), labels)));

// Terms belong to pod templates and are checked once per variant.
const requirementsByTerm = new WeakMap<NodeSelectorTerm, Requirements>();

function getRequirements(term: NodeSelectorTerm): Requirements {
  return getOrCreate(requirementsByTerm, term, () => toRequirements(term));
}

/** DaemonSets may select registered or initialized nodes; the node will be both. */
export function willRunOn(
  { template: { spec } }: DaemonSet,
  { labels, offering }: Pick<NodeVariant, 'labels' | 'offering'>,
  taints: readonly Taint[],
): boolean {
  const states = { [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' };
  const hard = taints.filter(({ effect }) => effect !== 'PreferNoSchedule');
  return (
    findUntoleratedTaint(hard, spec.tolerations) === undefined &&
    meetsAffinity(spec, offering ? { ...labels, ...states } : labels)
  );
}

function listPortConflicts({ bound, arriving }: FinalNode, daemons: readonly DaemonSet[]): string[] {
  if (arriving.every(({ spec }) => spec.hostPorts.length === 0)) return [];
  const others = [
    ...bound.map(({ spec }) => spec),
    // A running DaemonSet pod is among the bound pods; its template would conflict with itself.
    ...daemons
      .filter(({ name }) => !bound.some(({ owner }) => owner?.name === name))
      .map(({ template }) => template.spec),
  ].flatMap(({ hostPorts }) => hostPorts);
  return arriving.flatMap((pod, index) => {
    const before = arriving.slice(0, index).flatMap(({ spec }) => spec.hostPorts);
    return pod.spec.hostPorts
      .filter((port) => [...others, ...before].some((other) => isPortConflict(port, other)))
      .map(({ port, protocol }) => `${protocol}/${port}`);
  });
}

const EVERYWHERE: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

const isPortConflict = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || EVERYWHERE.has(a.ip) || EVERYWHERE.has(b.ip));
