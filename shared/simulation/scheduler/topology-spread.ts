import type { Labels } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import { ownValue } from '../../model/own-value.ts';
import type { TopologySpreadConstraint } from '../../model/pods/pod.ts';
import type { LabelSelector } from '../../model/requirements/selectors.ts';
import { selects } from '../../model/requirements/selectors.ts';
import type { SimPodClass } from '../control-plane/pod-store.ts';
import type { NodeFit } from './node-fit.ts';
import type { NodeLoad, NodeLoads } from './node-load.ts';

/** One DoNotSchedule constraint of a class, given the pods bound now. */
export interface SpreadFilter {
  allows(load: NodeLoad): boolean;
  /** Counts a pod of the class that was bound to the node. */
  add(load: NodeLoad): void;
}

/**
 * @param required - all DoNotSchedule constraints of the class; nodes that lack one of their keys
 *   are not counted
 * @see kube-scheduler, plugin PodTopologySpread
 */
export function createSpreadFilter(
  podClass: SimPodClass,
  fit: NodeFit,
  constraint: TopologySpreadConstraint,
  required: readonly TopologySpreadConstraint[],
  loads: NodeLoads,
): SpreadFilter {
  const { key, maxSkew, minDomains = 1 } = constraint;
  const matches = createSpreadSelector(constraint, podClass);
  const counts = new Map<string, number>();
  const countedNodes = loads.list().filter(({ node }) => hasKeys(node, required) && isEligible(constraint, fit, node));
  for (const { node } of countedNodes) counts.set(ownValue(node.labels, key) ?? '', 0);
  const counted = new Set(countedNodes);
  const isCounted = (load: NodeLoad): boolean => counted.has(load);
  addPodCounts(counts, key, isCounted, listMatchingClasses(loads, matches), loads);

  const selfCount = matches(podClass) ? 1 : 0;
  // With fewer domains than `minDomains` the global minimum is 0.
  const computeMinimum = (): number => (counts.size < minDomains ? 0 : Math.min(...counts.values()));
  let minimum = computeMinimum();

  return {
    allows({ node }) {
      const domain = ownValue(node.labels, key);
      return domain !== undefined && (counts.get(domain) ?? 0) + selfCount - minimum <= maxSkew;
    },
    add({ node }) {
      const domain = ownValue(node.labels, key) ?? '';
      const count = counts.get(domain);
      if (selfCount === 0 || count === undefined) return;
      counts.set(domain, count + 1);
      if (count === minimum) minimum = computeMinimum();
    },
  };
}

export const hasKeys = (node: Node, required: readonly TopologySpreadConstraint[]): boolean =>
  required.every(({ key }) => Object.hasOwn(node.labels, key));

/** Node inclusion policies of the constraint. */
export const isEligible = (
  { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
  fit: NodeFit,
  node: Node,
): boolean =>
  (nodeAffinityPolicy === 'Ignore' || fit.matchesAffinity(node)) &&
  (nodeTaintsPolicy === 'Ignore' || fit.tolerates(node));

/** Adds the pods of `classes` on counted nodes to the counts of their domains, without terminating pods. */
export function addPodCounts(
  counts: Map<string, number>,
  key: string,
  isCounted: (load: NodeLoad) => boolean,
  classes: readonly SimPodClass[],
  loads: NodeLoads,
): void {
  for (const podClass of classes) {
    for (const [load, { staying }] of loads.countsOf(podClass)) {
      const domain = ownValue(load.node.labels, key);
      if (staying === 0 || domain === undefined || !isCounted(load)) continue;
      counts.set(domain, (counts.get(domain) ?? 0) + staying);
    }
  }
}

export const listMatchingClasses = (
  loads: NodeLoads,
  matches: (podClass: SimPodClass) => boolean,
): readonly SimPodClass[] => [...loads.classes()].filter(matches);

export function createSpreadSelector(
  { selector, matchLabelKeys }: TopologySpreadConstraint,
  own: SimPodClass,
): (podClass: SimPodClass) => boolean {
  const full = withMatchLabelKeys(selector, matchLabelKeys, own.labels);
  return ({ namespace, labels }) => namespace === own.namespace && selects(full, labels);
}

/** Adds the pod's own values of `matchLabelKeys` to the selector. */
export const withMatchLabelKeys = (
  selector: LabelSelector | undefined,
  keys: readonly string[],
  labels: Labels,
): LabelSelector | undefined => {
  const own = keys.filter((key) => Object.hasOwn(labels, key));
  if (!selector || own.length === 0) return selector;
  const values = own.map((key) => [key, ownValue(labels, key) ?? ''] as const);
  return { ...selector, matchLabels: { ...selector.matchLabels, ...Object.fromEntries(values) } };
};
