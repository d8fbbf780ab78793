import type { Labels } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { ownValue } from '../../model/own-value.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import { createAffinityRule, createSpreadRule, type RuleOwner, type TopologyRule } from './topology-rules.ts';

type NamespaceLabels = Readonly<Record<string, Labels>>;
type RuleCache = WeakMap<Relaxation, CachedRules>;

// Rule ids are long texts, so the rules of a pod template are created only once.
const rulesByRelaxation: RuleCache = new WeakMap();
/** Rules with a namespaceSelector: the labels of the namespaces decide what it selects. */
const rulesByNamespaces = new WeakMap<NamespaceLabels, RuleCache>();

interface CachedRules {
  /**
   * The matchLabelKeys of the rules: the pod's values of these labels are part of the selectors.
   */
  readonly labelKeys: readonly string[];
  /** The rules by namespace and the values of those labels. */
  readonly rules: Map<string, readonly TopologyRule[]>;
}

/** Lists the topology rules that pods with this relaxation carry. */
export function listRules(
  owner: RuleOwner,
  relaxation: Relaxation,
  namespaces: NamespaceLabels,
): readonly TopologyRule[] {
  if (hasNoRules(owner.spec, relaxation)) return NO_RULES;
  const { labelKeys, rules } =
    rulesByRelaxation.get(relaxation) ??
    rulesByNamespaces.get(namespaces)?.get(relaxation) ??
    createCache(owner, relaxation, namespaces);
  const values = labelKeys.map((key) => `,${ownValue(owner.labels, key) ?? '\n'}`);
  const cacheKey = values.length > 0 ? owner.namespace + values.join('') : owner.namespace;
  return getOrCreate(rules, cacheKey, () => createRules(owner, relaxation, namespaces));
}

const NO_RULES: readonly TopologyRule[] = [];

const hasNoRules = (spec: PodSpec, relaxation: Relaxation): boolean =>
  relaxation.spreads.length === 0 &&
  spec.podAffinity.length === 0 &&
  spec.podAntiAffinity.length === 0 &&
  relaxation.podAffinity.length === 0 &&
  relaxation.podAntiAffinity.length === 0;

/**
 * True if two relaxations of one class carry the same rules, because they differ only in node
 * requirements.
 */
export const haveSameRules = (a: Relaxation, b: Relaxation): boolean =>
  a.spreads === b.spreads &&
  a.podAffinity === b.podAffinity &&
  a.podAntiAffinity === b.podAntiAffinity &&
  a.anyOf === b.anyOf;

function createCache({ spec }: RuleOwner, relaxation: Relaxation, namespaces: NamespaceLabels): CachedRules {
  const preferred = [...relaxation.podAffinity, ...relaxation.podAntiAffinity];
  const terms = [...spec.podAffinity, ...spec.podAntiAffinity, ...preferred];
  const labelKeys = [...spec.topologySpread, ...terms].flatMap((one) => one.matchLabelKeys);
  const newCache: CachedRules = { labelKeys, rules: new Map() };
  const cache = terms.some(({ namespaceSelector }) => namespaceSelector)
    ? getOrCreate(rulesByNamespaces, namespaces, () => new WeakMap())
    : rulesByRelaxation;
  cache.set(relaxation, newCache);
  return newCache;
}

function createRules(owner: RuleOwner, relaxation: Relaxation, namespaces: NamespaceLabels): TopologyRule[] {
  return [
    ...relaxation.spreads.map((spread) => createSpreadRule(spread, owner, relaxation)),
    ...createRequiredAffinityRules(owner, namespaces),
    ...owner.spec.podAntiAffinity.map((term) => createAffinityRule('anti-affinity', term, owner, namespaces)),
    ...relaxation.podAffinity.map((term) => toPreferredRule(createAffinityRule('affinity', term, owner, namespaces))),
    ...relaxation.podAntiAffinity.map((term) =>
      toPreferredRule(createAffinityRule('anti-affinity', term, owner, namespaces)),
    ),
  ];
}

/**
 * Creates the rules of the required pod affinity terms.
 *
 * @see kube-scheduler, InterPodAffinity: a pod that matches only some of the terms counts for none
 *   of them
 */
export function createRequiredAffinityRules(owner: RuleOwner, namespaces: NamespaceLabels): TopologyRule[] {
  const rules = owner.spec.podAffinity.map((term) => createAffinityRule('affinity', term, owner, namespaces));
  if (rules.length < 2) return rules;
  const all = rules.map(({ id }) => id).toSorted();
  return rules.map((rule) => ({
    ...rule,
    id: `${rule.id} of ${all.join()}`,
    otherTerms: rules.filter((other) => other !== rule),
  }));
}

const toPreferredRule = (rule: TopologyRule): TopologyRule => ({
  ...rule,
  id: `preferred ${rule.id}`,
  isSoft: true,
});
