import type { Labels } from '../model/labels.ts';
import type { TopologySpreadConstraint } from '../model/pod.ts';
import type { LabelSelector } from '../model/selectors.ts';
import { selects } from '../model/selectors.ts';
import type { NodeFit } from './node-fit.ts';
import type { NodeLoad } from './node-load.ts';
import type { PodClass } from './pod-class.ts';

/** One constraint of one class of pods against the nodes of this moment. */
export interface SpreadCounter {
  allows(load: NodeLoad): boolean;
  /** Pods in the node's domain over the most in any: 0 is best, 1 worst. */
  crowding(load: NodeLoad): number;
  /** A pod of the class went to this node. */
  add(load: NodeLoad): void;
}

/**
 * @param required - all DoNotSchedule constraints of the class: a node that lacks the key of one
 *   of them counts for none
 * @see kube-scheduler, plugin PodTopologySpread
 */
export function createSpreadCounter(
  podClass: PodClass,
  fit: NodeFit,
  constraint: TopologySpreadConstraint,
  required: readonly TopologySpreadConstraint[],
  loads: Iterable<NodeLoad>,
): SpreadCounter {
  const matches = selectorOf(constraint, podClass);
  const counts = new Map<string, number>();
  for (const load of loads) {
    const domain = load.node.labels[constraint.key];
    if (domain === undefined || !required.every(({ key }) => key in load.node.labels)) continue;
    if (!isEligible(constraint, fit, load)) continue;
    counts.set(domain, (counts.get(domain) ?? 0) + countMatching(load, matches));
  }
  return counterOver(constraint, counts, matches(podClass) ? 1 : 0);
}

function counterOver(
  { key, maxSkew, minDomains = 1 }: TopologySpreadConstraint,
  counts: Map<string, number>,
  self: number,
): SpreadCounter {
  // Too few domains: the absent ones count as empty.
  const least = (): number => (counts.size < minDomains ? 0 : Math.min(...counts.values()));
  let minimum = least();
  let maximum = Math.max(1, ...counts.values());

  return {
    allows({ node }) {
      const domain = node.labels[key];
      if (domain === undefined) return false;
      return (counts.get(domain) ?? 0) + self - minimum <= maxSkew;
    },
    crowding({ node }) {
      const domain = node.labels[key];
      return domain === undefined ? 1 : (counts.get(domain) ?? 0) / maximum;
    },
    add({ node }) {
      const domain = node.labels[key];
      const count = domain === undefined ? undefined : counts.get(domain);
      if (self === 0 || domain === undefined || count === undefined) return;
      counts.set(domain, count + 1);
      maximum = Math.max(maximum, count + 1);
      if (count === minimum) minimum = least();
    },
  };
}

const isEligible = (
  { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
  fit: NodeFit,
  { node }: NodeLoad,
): boolean =>
  (nodeAffinityPolicy === 'Ignore' || fit.matchesAffinity(node)) &&
  (nodeTaintsPolicy === 'Ignore' || fit.tolerates(node));

function countMatching(load: NodeLoad, matches: (podClass: PodClass) => boolean): number {
  let count = 0;
  for (const [podClass, { staying }] of load.classes) {
    if (staying > 0 && matches(podClass)) count += staying;
  }
  return count;
}

function selectorOf(
  { selector, matchLabelKeys }: TopologySpreadConstraint,
  own: PodClass,
): (podClass: PodClass) => boolean {
  const full = withOwnValues(selector, matchLabelKeys, own.labels);
  return perClass(({ namespace, labels }) => namespace === own.namespace && selects(full, labels));
}

/** `matchLabelKeys` asks for the pod's own value of each key that it has. */
export const withOwnValues = (
  selector: LabelSelector | undefined,
  keys: readonly string[],
  labels: Labels,
): LabelSelector | undefined => {
  const own = keys.filter((key) => key in labels);
  if (!selector || own.length === 0) return selector;
  const values = own.map((key) => [key, labels[key] ?? ''] as const);
  return { ...selector, matchLabels: { ...selector.matchLabels, ...Object.fromEntries(values) } };
};

/** Asks once for each class of pods. */
export function perClass(asks: (podClass: PodClass) => boolean): (podClass: PodClass) => boolean {
  const answers = new Map<PodClass, boolean>();
  return (podClass) => {
    const known = answers.get(podClass);
    if (known !== undefined) return known;
    const answer = asks(podClass);
    answers.set(podClass, answer);
    return answer;
  };
}
