import { type Labels, normaliseLabelKey } from '../../model/labels.ts';
import type { PodAffinityTerm, PodSpec, TopologySpreadConstraint } from '../../model/pod.ts';
import type { Requirements } from '../../model/requirements.ts';
import { type LabelSelector, selects } from '../../model/selectors.ts';
import type { Toleration } from '../../model/taints.ts';
import type { Alternative } from '../pods/relaxations.ts';

type TopologyKind = 'spread' | 'affinity' | 'anti-affinity';

/** Which pods are meant. */
interface Selection {
  readonly selector?: LabelSelector;
  /** Absent: every namespace. */
  readonly namespaces?: ReadonlySet<string>;
}

/** A rule about which pods may, must or should not share a value of one key. */
export interface TopologyRule extends Selection {
  /** Equal for equal rules, whoever writes them. */
  readonly id: string;
  readonly kind: TopologyKind;
  readonly key: string;
  /** Affinity only: the owner's other required terms, for only who matches all of them counts. */
  readonly besides?: readonly Selection[];
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Only preferred: who carries it does not bar others. */
  readonly isSoft?: boolean;
  /** Spread only: nodes that fail it are no part of the count. */
  readonly filter?: NodeFilter;
}

export interface NodeFilter {
  /** Nodes that meet any of them pass; absent: all do. */
  readonly anyOf?: readonly Requirements[];
  readonly tolerations?: readonly Toleration[];
}

/** Whoever carries rules: a class of pods, or a pod that runs. */
export interface RuleOwner {
  readonly namespace: string;
  readonly labels: Labels;
  readonly spec: PodSpec;
}

export function bump<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

export const isSelected = (
  rule: Pick<TopologyRule, 'selector' | 'namespaces' | 'besides'>,
  pod: { readonly namespace: string; readonly labels: Labels },
): boolean => isMeant(rule, pod) && (rule.besides ?? []).every((other) => isMeant(other, pod));

const isMeant = (
  { selector, namespaces }: Selection,
  pod: { readonly namespace: string; readonly labels: Labels },
): boolean =>
  (namespaces === undefined || namespaces.has(pod.namespace)) && selects(selector, pod.labels);

/** Nodes that pods are only asked to keep away from count, whatever nodeTaintsPolicy says. */
const ANY_PREFERENCE: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };

export function spreadRule(
  spread: TopologySpreadConstraint,
  owner: RuleOwner,
  { anyOf }: Alternative,
): TopologyRule {
  const selector = withLabelKeys(spread.selector, spread.matchLabelKeys, owner.labels);
  const isAnyNode = anyOf.some((term) => term.size === 0);
  const filter: NodeFilter = {
    ...(spread.nodeAffinityPolicy === 'Honor' && !isAnyNode ? { anyOf } : {}),
    ...(spread.nodeTaintsPolicy === 'Honor'
      ? { tolerations: [...owner.spec.tolerations, ANY_PREFERENCE] }
      : {}),
  };
  const { maxSkew, minDomains = 0 } = spread;
  const key = normaliseLabelKey(spread.key);
  return {
    id: identity('spread', key, selector, [owner.namespace], [maxSkew, minDomains, plain(filter)]),
    kind: 'spread',
    key,
    ...(selector ? { selector } : {}),
    namespaces: new Set([owner.namespace]),
    maxSkew,
    minDomains,
    filter,
  };
}

export function affinityRule(
  kind: 'affinity' | 'anti-affinity',
  term: PodAffinityTerm,
  owner: Pick<RuleOwner, 'namespace' | 'labels'>,
  known: Readonly<Record<string, Labels>>,
): TopologyRule {
  const selector = withLabelKeys(term.selector, term.matchLabelKeys, owner.labels);
  const namespaces = namespacesOf(term, owner.namespace, known);
  const key = normaliseLabelKey(term.key);
  return {
    id: identity(kind, key, selector, namespaces ? [...namespaces].toSorted() : ['*'], []),
    kind,
    key,
    ...(selector ? { selector } : {}),
    ...(namespaces ? { namespaces } : {}),
    maxSkew: 0,
    minDomains: 0,
  };
}

function namespacesOf(
  { namespaces, namespaceSelector }: PodAffinityTerm,
  own: string,
  known: Readonly<Record<string, Labels>>,
): ReadonlySet<string> | undefined {
  if (!namespaceSelector) return new Set(namespaces.length > 0 ? namespaces : [own]);
  const { matchLabels, matchExpressions } = namespaceSelector;
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return undefined;
  const selected = Object.keys(known).filter((name) =>
    selects(namespaceSelector, known[name] ?? {}),
  );
  return new Set([...namespaces, ...selected]);
}

function withLabelKeys(
  selector: LabelSelector | undefined,
  keys: readonly string[],
  labels: Labels,
): LabelSelector | undefined {
  const present = keys.filter((key) => labels[key] !== undefined);
  if (!selector || present.length === 0) return selector;
  const matchExpressions = present.map((key) => ({
    key,
    operator: 'In' as const,
    values: [labels[key] ?? ''],
  }));
  return { ...selector, matchExpressions: [...selector.matchExpressions, ...matchExpressions] };
}

const identity = (
  kind: TopologyKind,
  key: string,
  selector: LabelSelector | undefined,
  namespaces: readonly string[],
  rest: readonly unknown[],
): string => JSON.stringify([kind, key, selector, namespaces, rest]);

/** For maps and sets JSON has no form. */
const plain = ({ anyOf, tolerations }: NodeFilter): readonly unknown[] => [
  anyOf?.map((requirements) =>
    [...requirements].map(([key, { values, ...rest }]) => [key, [...values].toSorted(), rest]),
  ),
  tolerations,
];

type Rule = Pick<TopologyRule, 'selector' | 'namespaces'>;

/** Rules found by a label that they ask for: of thousands, most mean one app each. */
interface RuleIndex<T extends Rule> {
  add(rule: T): void;
  /** Those that select the pod, in the order in which they were added. */
  selecting(pod: { readonly namespace: string; readonly labels: Labels }): readonly T[];
}

export function ruleIndex<T extends Rule>(rules: Iterable<T> = []): RuleIndex<T> {
  const byLabel = new Map<string, Numbered<T>[]>();
  let count = 0;

  function add(rule: T): void {
    const label = labelAsked(rule);
    const sharing = byLabel.get(label) ?? [];
    byLabel.set(label, sharing);
    sharing.push({ number: count, rule });
    count += 1;
  }

  for (const rule of rules) add(rule);
  return {
    add,
    selecting(pod) {
      const found: Numbered<T>[] = [];
      const look = (label: string) => {
        for (const one of byLabel.get(label) ?? []) if (isSelected(one.rule, pod)) found.push(one);
      };
      look(NONE);
      for (const key in pod.labels) look(labelText(key, pod.labels[key] ?? ''));
      return found.sort((a, b) => a.number - b.number).map(({ rule }) => rule);
    },
  };
}

interface Numbered<T> {
  readonly number: number;
  readonly rule: T;
}

/** Of rules that ask for no label by its value. */
const NONE = '';

const labelText = (key: string, value: string): string => `${key}=${value}`;

/** The last label tells apart best: a revision is written after the app. */
function labelAsked({ selector }: Rule): string {
  const last = Object.entries(selector?.matchLabels ?? {}).at(-1);
  return last ? labelText(...last) : NONE;
}
