import type { Labels } from '../model/labels.ts';
import { HOSTNAME_LABEL, normaliseLabelKey } from '../model/labels.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../model/pod.ts';
import { matchesLabels, type Requirements } from '../model/requirements.ts';
import { type LabelSelector, selects } from '../model/selectors.ts';
import { type Toleration, untoleratedTaint } from '../model/taints.ts';
import type { Alternative } from './alternatives.ts';
import { domainsOf } from './domains.ts';
import type { ExistingBin } from './existing-bins.ts';
import type { PodClass } from './pod-classes.ts';
import type { Problem } from './problem.ts';

export type TopologyKind = 'spread' | 'affinity' | 'anti-affinity';

/**
 * A rule over the domains of one key, shared by all pods that write the same one. Counts are of
 * pods that the selector selects; owners are pods that carry the rule (for anti-affinity they bar
 * the selected pods too).
 */
export interface TopologyGroup {
  readonly id: string;
  readonly kind: TopologyKind;
  readonly key: string;
  readonly selector?: LabelSelector;
  /** Absent: every namespace. */
  readonly namespaces?: ReadonlySet<string>;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Spread only: nodes that fail it are no part of the count. */
  readonly filter?: NodeFilter;
  /** Values that the key can take, on nodes that are there or may come. */
  readonly domains: readonly string[];
  readonly counts: Map<string, number>;
  readonly owners: Map<string, number>;
}

interface NodeFilter {
  readonly requirements?: Requirements;
  readonly tolerations?: readonly Toleration[];
}

/** How the rules concern one class. */
export interface ClassTopology {
  /** Rules that the class carries. */
  readonly owned: readonly { readonly group: TopologyGroup; readonly selectsSelf: boolean }[];
  /** Anti-affinity of others that bars this class. */
  readonly barredBy: readonly TopologyGroup[];
  /** Rules that count pods of this class. */
  readonly countedBy: readonly TopologyGroup[];
}

/** The rules of one batch of pods, with counts that move as pods are placed. */
export interface Topology {
  of(cls: PodClass, alternative: Alternative): ClassTopology;
}

export function topologyOf(
  problem: Problem,
  classes: readonly PodClass[],
  isCounted: (pod: Pod, bin: ExistingBin) => boolean,
): Topology {
  const groups = new Map<string, TopologyGroup>();
  const boundAntiAffinity: TopologyGroup[] = [];

  function intern(rule: Rule): TopologyGroup {
    let group = groups.get(rule.id);
    if (!group) {
      group = countedGroup(rule, problem, isCounted);
      groups.set(rule.id, group);
    }
    return group;
  }

  // Rules of every class exist from the start, so that whoever is placed first is counted.
  for (const cls of classes) {
    for (const alternative of cls.alternatives) {
      for (const rule of rulesOf(cls, alternative, problem)) intern(rule);
    }
  }
  for (const [rule, bins] of antiAffinityOfBound(problem, isCounted)) {
    const group = intern(rule);
    boundAntiAffinity.push(group);
    for (const [bin, count] of bins) {
      const domain = bin.labels[rule.key];
      if (domain !== undefined) bump(group.owners, domain, count);
    }
  }

  return {
    of(cls, alternative) {
      const owned = rulesOf(cls, alternative, problem).map((rule) => {
        const group = intern(rule);
        return { group, selectsSelf: isSelected(group, cls) };
      });
      const all = [...groups.values()];
      const countedBy = all.filter((group) => isSelected(group, cls));
      return {
        owned,
        barredBy: countedBy.filter(({ kind }) => kind === 'anti-affinity'),
        countedBy,
      };
    },
  };
}

export function bump<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

export const isSelected = (
  { selector, namespaces }: Pick<TopologyGroup, 'selector' | 'namespaces'>,
  pod: { readonly namespace: string; readonly labels: Labels },
): boolean =>
  (namespaces === undefined || namespaces.has(pod.namespace)) && selects(selector, pod.labels);

type Rule = Omit<TopologyGroup, 'counts' | 'owners' | 'domains'>;

function rulesOf(cls: PodClass, alternative: Alternative, problem: Problem): Rule[] {
  return [
    ...alternative.spreads.map((spread) => spreadRule(spread, cls, alternative)),
    ...cls.spec.podAffinity.map((term) => affinityRule('affinity', term, cls, problem)),
    ...cls.spec.podAntiAffinity.map((term) => affinityRule('anti-affinity', term, cls, problem)),
  ];
}

function spreadRule(
  spread: TopologySpreadConstraint,
  cls: Pick<PodClass, 'namespace' | 'labels' | 'spec'>,
  { strict, tolerations }: Alternative,
): Rule {
  const selector = withLabelKeys(spread.selector, spread.matchLabelKeys, cls.labels);
  const filter: NodeFilter = {
    ...(spread.nodeAffinityPolicy === 'Honor' && strict.size > 0 ? { requirements: strict } : {}),
    ...(spread.nodeTaintsPolicy === 'Honor' ? { tolerations } : {}),
  };
  const { maxSkew, minDomains = 0 } = spread;
  const key = normaliseLabelKey(spread.key);
  return {
    id: identity('spread', key, selector, [cls.namespace], [maxSkew, minDomains, filter]),
    kind: 'spread',
    key,
    ...(selector ? { selector } : {}),
    namespaces: new Set([cls.namespace]),
    maxSkew,
    minDomains,
    filter,
  };
}

function affinityRule(
  kind: 'affinity' | 'anti-affinity',
  term: PodAffinityTerm,
  cls: Pick<PodClass, 'namespace' | 'labels'>,
  { snapshot }: Problem,
): Rule {
  const selector = withLabelKeys(term.selector, term.matchLabelKeys, cls.labels);
  const namespaces = namespacesOf(term, cls.namespace, snapshot.namespaces);
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
): string =>
  JSON.stringify([kind, key, selector, namespaces, rest], (_, value: unknown) => {
    if (value instanceof Map) return [...value];
    return value instanceof Set ? [...value].toSorted() : value;
  });

/** Counts the pods that run already. Hostname domains are counted by bin, when one is looked at. */
function countedGroup(
  rule: Rule,
  problem: Problem,
  isCounted: (pod: Pod, bin: ExistingBin) => boolean,
): TopologyGroup {
  const counts = new Map<string, number>();
  const present = new Set<string>();
  for (const bin of problem.bins) {
    const domain = bin.labels[rule.key];
    if (domain === undefined || !passes(rule.filter, bin)) continue;
    if (!bin.leaving) present.add(domain);
    for (const pod of bin.pods) {
      if (isSelected(rule, pod) && pod.deletionAt === undefined && isCounted(pod, bin)) {
        bump(counts, domain, 1);
      }
    }
  }
  const domains = rule.key === HOSTNAME_LABEL ? [] : domainsOf(rule.key, problem, present);
  return { ...rule, domains, counts, owners: new Map() };
}

function passes(filter: NodeFilter | undefined, bin: ExistingBin): boolean {
  if (!filter) return true;
  if (filter.requirements && !matchesLabels(filter.requirements, bin.labels)) return false;
  return !filter.tolerations || !untoleratedTaint(bin.taints, filter.tolerations);
}

/** Required anti-affinity of pods that run already, with where they run. */
function antiAffinityOfBound(
  problem: Problem,
  isCounted: (pod: Pod, bin: ExistingBin) => boolean,
): [Rule, Map<ExistingBin, number>][] {
  const byRule = new Map<string, [Rule, Map<ExistingBin, number>]>();
  for (const bin of problem.bins) {
    for (const pod of bin.pods) {
      if (pod.spec.podAntiAffinity.length === 0 || !isCounted(pod, bin)) continue;
      for (const term of pod.spec.podAntiAffinity) {
        const rule = affinityRule('anti-affinity', term, pod, problem);
        const entry = byRule.get(rule.id) ?? [rule, new Map<ExistingBin, number>()];
        byRule.set(rule.id, entry);
        entry[1].set(bin, (entry[1].get(bin) ?? 0) + 1);
      }
    }
  }
  return [...byRule.values()];
}
