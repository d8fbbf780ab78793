import type { Labels } from '../../model/labels.ts';
import { getOrCreate, memoize } from '../../model/memo.ts';
import { ownValue } from '../../model/own-value.ts';
import {
  type Pod,
  type PodAffinityTerm,
  type PodKey,
  type PodSpec,
  podKey,
  type TopologySpreadConstraint,
} from '../../model/pods/pod.ts';
import type { LabelSelector } from '../../model/requirements/selectors.ts';
import type { DecisionSettings } from '../../model/settings.ts';
import { findExcess } from './pod-complexity.ts';
import { listRelaxations, type Relaxation } from './relaxations.ts';

/**
 * Pods that no scheduling rule can distinguish, so a result for one pod holds for all of them. A
 * Deployment of a thousand replicas is one class.
 */
export interface PodClass {
  readonly namespace: string;
  readonly labels: Labels;
  readonly spec: PodSpec;
  readonly pods: readonly PodKey[];
  readonly arrival: Arrival;
  /**
   * The relaxations of the pod: first with all preferences, last without any. Empty for pods that
   * are too complex to be planned.
   */
  readonly relaxations: readonly Relaxation[];
}

/**
 * Creation times of the class's pods. Running pods that will be evicted count as created last,
 * because their replacements are created after all waiting pods.
 */
interface Arrival {
  readonly first: number;
  readonly last: number;
}

export function countPods(classes: Iterable<Pick<PodClass, 'pods'>>): number {
  let total = 0;
  for (const { pods } of classes) total += pods.length;
  return total;
}

/**
 * Groups `pods` into classes, the class with the oldest pod first. The order of `pods` does not
 * matter.
 */
export function groupPodClasses(
  pods: readonly Pod[],
  relevantLabelKeys: ReadonlySet<string>,
  policy: DecisionSettings['preferencePolicy'] = 'Respect',
): PodClass[] {
  const classes = Map.groupBy(groupByTemplate(pods), ([first]) =>
    first ? computeSignature(first, relevantLabelKeys) : '',
  );
  return [...classes.values()]
    .map((equalGroups) => equalGroups.flat().toSorted(oldestFirst))
    .toSorted(([a], [b]) => (a && b ? oldestFirst(a, b) : 0))
    .flatMap((members) => {
      const [first] = members;
      if (!first) return [];
      const { namespace, labels, spec } = first;
      const relaxations = findExcess(spec) ? [] : listRelaxations(spec, policy);
      const keys = members.map(podKey);
      return { namespace, labels, spec, pods: keys, arrival: computeArrival(members), relaxations };
    });
}

function computeArrival(pods: readonly Pod[]): Arrival {
  let [first, last] = [Infinity, -Infinity];
  for (const { nodeName, createdAt } of pods) {
    const at = nodeName === undefined ? createdAt : Infinity;
    first = Math.min(first, at);
    last = Math.max(last, at);
  }
  return { first, last };
}

const oldestFirst = (a: Pod, b: Pod): number =>
  a.createdAt - b.createdAt || compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name);

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/**
 * Groups pods that share the spec and label objects of their template, which avoids comparing
 * texts.
 */
function groupByTemplate(pods: readonly Pod[]): Pod[][] {
  const bySpec = new Map<PodSpec, Map<Labels, Pod[][]>>();
  const groups: Pod[][] = [];
  for (const pod of pods) {
    const byLabels = getOrCreate(bySpec, pod.spec, () => new Map());
    const sharing = getOrCreate(byLabels, pod.labels, () => []);
    const members = sharing.find(([first]) => first?.namespace === pod.namespace);
    if (members) {
      members.push(pod);
      continue;
    }
    const group = [pod];
    sharing.push(group);
    groups.push(group);
  }
  return groups;
}

/** Finds the label keys that some selector reads; other labels do not distinguish pods. */
export function findSelectorLabelKeys(pods: readonly Pod[]): Set<string> {
  const keys = new Set<string>();
  for (const { spec } of pods) for (const key of listSelectedKeys(spec)) keys.add(key);
  return keys;
}

// Pods of one template share their spec.
const listSelectedKeys = memoize((spec: PodSpec): readonly string[] =>
  listSelectingTerms(spec).flatMap(({ selector, matchLabelKeys }) => [
    ...listSelectorKeys(selector),
    ...matchLabelKeys,
  ]),
);

const listSelectingTerms = (spec: PodSpec): (TopologySpreadConstraint | PodAffinityTerm)[] => [
  ...spec.topologySpread,
  ...spec.podAffinity,
  ...spec.podAntiAffinity,
  ...spec.preferredPodAffinity.map(({ term }) => term),
  ...spec.preferredPodAntiAffinity.map(({ term }) => term),
];

const listSelectorKeys = (selector: LabelSelector | undefined): string[] =>
  selector ? [...Object.keys(selector.matchLabels), ...selector.matchExpressions.map(({ key }) => key)] : [];

// Pods of one template share their spec, so it is serialized only once.
const specTexts = new WeakMap<PodSpec, string>();

function computeSignature(pod: Pod, relevantLabelKeys: ReadonlySet<string>): string {
  let text = specTexts.get(pod.spec);
  if (text === undefined) {
    text = JSON.stringify(pod.spec);
    specTexts.set(pod.spec, text);
  }
  if (relevantLabelKeys.size === 0) return `${pod.namespace}\n\n${text}`;
  const labels = Object.keys(pod.labels)
    .filter((key) => relevantLabelKeys.has(key))
    .toSorted()
    .map((key) => `${key}=${ownValue(pod.labels, key) ?? ''}`);
  return `${pod.namespace}\n${labels.join(',')}\n${text}`;
}

/**
 * Hands out the pods of each class in order. The pods of a class are equal, so any of them will do.
 */
export type PodTaker = (cls: PodClass, count: number) => PodKey[];

export function createPodTaker(): PodTaker {
  const takenCounts = new Map<PodClass, number>();
  return (cls, count) => {
    const start = takenCounts.get(cls) ?? 0;
    takenCounts.set(cls, start + count);
    return cls.pods.slice(start, start + count);
  };
}
