import { type Labels, normaliseLabelKey } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { ownValue } from '../../model/own-value.ts';
import type { PodAffinityTerm, PodSpec, TopologySpreadConstraint } from '../../model/pods/pod.ts';
import type { Requirements } from '../../model/requirements/requirements.ts';
import { type LabelSelector, selects } from '../../model/requirements/selectors.ts';
import type { Toleration } from '../../model/requirements/taints.ts';
import type { WorkMeter } from '../data-structures/work-meter.ts';
import type { Relaxation } from '../pods/relaxations.ts';

type TopologyKind = 'spread' | 'affinity' | 'anti-affinity';

/** Selects pods by labels and namespaces. */
interface PodSelection {
  readonly selector?: LabelSelector;
  /** undefined means every namespace. */
  readonly namespaces?: ReadonlySet<string>;
}

/** A rule about which pods may, must or should not share a value of one topology key. */
export interface TopologyRule extends PodSelection {
  /** Equal rules have equal ids, whichever pod carries them. */
  readonly id: string;
  readonly kind: TopologyKind;
  readonly key: string;
  /**
   * Affinity only: the other required terms of the owner. A pod counts only if it matches all of
   * them.
   */
  readonly otherTerms?: readonly PodSelection[];
  readonly maxSkew: number;
  readonly minDomains: number;
  /** True for a preferred term: it does not keep other pods away. */
  readonly isSoft?: boolean;
  /** Spread only: nodes that do not pass the filter are not counted. */
  readonly filter?: NodeFilter;
}

export interface NodeFilter {
  /** Nodes that meet any of these requirements pass. If undefined, all nodes do. */
  readonly anyOf?: readonly Requirements[];
  readonly tolerations?: readonly Toleration[];
}

/** The pod class or running pod that carries the rules. */
export interface RuleOwner {
  readonly namespace: string;
  readonly labels: Labels;
  readonly spec: PodSpec;
}

export function addCount<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

export const isSelected = (
  rule: Pick<TopologyRule, 'selector' | 'namespaces' | 'otherTerms'>,
  pod: { readonly namespace: string; readonly labels: Labels },
): boolean => matchesSelection(rule, pod) && (rule.otherTerms ?? []).every((other) => matchesSelection(other, pod));

const matchesSelection = (
  { selector, namespaces }: PodSelection,
  pod: { readonly namespace: string; readonly labels: Labels },
): boolean => (namespaces === undefined || namespaces.has(pod.namespace)) && selects(selector, pod.labels);

/** PreferNoSchedule taints do not exclude a node from the count, whatever nodeTaintsPolicy says. */
const TOLERATE_PREFER_NO_SCHEDULE: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };

export function createSpreadRule(
  spread: TopologySpreadConstraint,
  owner: RuleOwner,
  { anyOf }: Relaxation,
): TopologyRule {
  const selector = withMatchLabelKeys(spread.selector, spread.matchLabelKeys, owner.labels);
  const matchesAnyNode = anyOf.some((term) => term.size === 0);
  const filter: NodeFilter = {
    ...(spread.nodeAffinityPolicy === 'Honor' && !matchesAnyNode && { anyOf }),
    ...(spread.nodeTaintsPolicy === 'Honor' && {
      tolerations: [...owner.spec.tolerations, TOLERATE_PREFER_NO_SCHEDULE],
    }),
  };
  const { maxSkew, minDomains = 0 } = spread;
  const key = normaliseLabelKey(spread.key);
  return {
    id: toRuleId('spread', key, selector, [owner.namespace], [maxSkew, minDomains, toPlainFilter(filter)]),
    kind: 'spread',
    key,
    ...(selector && { selector }),
    namespaces: new Set([owner.namespace]),
    maxSkew,
    minDomains,
    filter,
  };
}

export function createAffinityRule(
  kind: 'affinity' | 'anti-affinity',
  term: PodAffinityTerm,
  owner: Pick<RuleOwner, 'namespace' | 'labels'>,
  namespaceLabels: NamespaceLabels,
): TopologyRule {
  const selector = withMatchLabelKeys(term.selector, term.matchLabelKeys, owner.labels);
  const namespaces = listNamespaces(term, owner.namespace, namespaceLabels);
  const key = normaliseLabelKey(term.key);
  return {
    id: toRuleId(kind, key, selector, namespaces ? [...namespaces].toSorted() : ['*'], []),
    kind,
    key,
    ...(selector && { selector }),
    ...(namespaces && { namespaces }),
    maxSkew: 0,
    minDomains: 0,
  };
}

function listNamespaces(
  { namespaces, namespaceSelector }: PodAffinityTerm,
  ownNamespace: string,
  namespaceLabels: NamespaceLabels,
): ReadonlySet<string> | undefined {
  if (!namespaceSelector) return new Set(namespaces.length > 0 ? namespaces : [ownNamespace]);
  const { matchLabels, matchExpressions } = namespaceSelector;
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return undefined;
  const selected = listSelectedNamespaces(namespaceSelector, namespaceLabels);
  return new Set([...namespaces, ...selected]);
}

type NamespaceLabels = Readonly<Record<string, Labels>>;

// Each relaxation of a pod asks again for the namespaces of each of its terms.
const selectedNamespaces = new WeakMap<NamespaceLabels, WeakMap<LabelSelector, readonly string[]>>();

function listSelectedNamespaces(selector: LabelSelector, labels: NamespaceLabels): readonly string[] {
  const bySelector = getOrCreate(selectedNamespaces, labels, () => new WeakMap());
  return getOrCreate(bySelector, selector, () =>
    Object.keys(labels).filter((name) => selects(selector, ownValue(labels, name) ?? {})),
  );
}

function withMatchLabelKeys(
  selector: LabelSelector | undefined,
  keys: readonly string[],
  labels: Labels,
): LabelSelector | undefined {
  const present = keys.filter((key) => ownValue(labels, key) !== undefined);
  if (!selector || present.length === 0) return selector;
  const matchExpressions = present.map((key) => ({
    key,
    operator: 'In' as const,
    values: [ownValue(labels, key) ?? ''],
  }));
  return { ...selector, matchExpressions: [...selector.matchExpressions, ...matchExpressions] };
}

const toRuleId = (
  kind: TopologyKind,
  key: string,
  selector: LabelSelector | undefined,
  namespaces: readonly string[],
  extra: readonly unknown[],
): string => JSON.stringify([kind, key, selector, namespaces, extra]);

/** Converts maps and sets to arrays, which JSON can represent. */
const toPlainFilter = ({ anyOf, tolerations }: NodeFilter): readonly unknown[] => [
  anyOf?.map((requirements) =>
    [...requirements].map(([key, { values, ...extra }]) => [key, [...values].toSorted(), extra]),
  ),
  tolerations,
];

type Rule = Pick<TopologyRule, 'selector' | 'namespaces'>;

/**
 * Finds the rules that select a pod by a label that they require: most of thousands of rules select
 * one app each.
 */
interface RuleIndex<T extends Rule> {
  add(rule: T): void;
  /** Lists the rules that select the pod, in the order in which they were added. */
  findSelecting(pod: { readonly namespace: string; readonly labels: Labels }): readonly T[];
}

/**
 * @param spend - called with the number of rules that were compared with a pod
 */
export function createRuleIndex<T extends Rule>(
  rules: Iterable<T> = [],
  spend: WorkMeter['spend'] = () => {},
): RuleIndex<T> {
  const byLabel = new Map<string, NumberedRule<T>[]>();
  let count = 0;

  function add(rule: T): void {
    const indexedLabel = findIndexedLabel(rule);
    const rulesOfLabel = getOrCreate(byLabel, indexedLabel, () => []);
    rulesOfLabel.push({ number: count, rule });
    count += 1;
  }

  for (const rule of rules) add(rule);
  return {
    add,
    findSelecting(pod) {
      const matching: NumberedRule<T>[] = [];
      const collectMatching = (indexedLabel: string) => {
        const candidates = byLabel.get(indexedLabel) ?? [];
        spend(candidates.length);
        for (const one of candidates) if (isSelected(one.rule, pod)) matching.push(one);
      };
      collectMatching(NO_LABEL);
      for (const key in pod.labels) collectMatching(toLabelText(key, ownValue(pod.labels, key) ?? ''));
      return matching.sort((a, b) => a.number - b.number).map(({ rule }) => rule);
    },
  };
}

interface NumberedRule<T> {
  readonly number: number;
  readonly rule: T;
}

/** The key of rules whose selector requires no label value. */
const NO_LABEL = '';

const toLabelText = (key: string, value: string): string => `${key}=${value}`;

/** The last label is the most selective: a revision label, for example, follows the app label. */
function findIndexedLabel({ selector }: Rule): string {
  const last = Object.entries(selector?.matchLabels ?? {}).at(-1);
  return last ? toLabelText(...last) : NO_LABEL;
}
