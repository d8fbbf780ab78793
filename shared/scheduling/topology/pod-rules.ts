import type { Labels } from '../../model/labels.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import {
  createAffinityRule,
  createSpreadRule,
  type RuleOwner,
  type TopologyRule,
} from './topology-rules.ts';

// Identities are texts, and texts are slow: those of a template are written once.
const rulesByRelaxation = new WeakMap<Relaxation, CachedRules>();

interface CachedRules {
  /** Labels of the pod whose values are part of what its rules select. */
  readonly labelKeys: readonly string[];
  /** By namespace and the values of those labels. */
  readonly rules: Map<string, readonly TopologyRule[]>;
}

/** The rules that pods satisfied in this way carry. */
export function listRules(
  owner: RuleOwner,
  relaxation: Relaxation,
  namespaces: Readonly<Record<string, Labels>>,
): readonly TopologyRule[] {
  if (hasNoRules(owner.spec, relaxation)) return NO_RULES;
  const cached = rulesByRelaxation.get(relaxation) ?? createCache(owner, relaxation);
  if (!cached) return createRules(owner, relaxation, namespaces);
  const { labelKeys, rules } = cached;
  const values = labelKeys.map((key) => `,${owner.labels[key] ?? '\n'}`);
  const cacheKey = values.length > 0 ? owner.namespace + values.join('') : owner.namespace;
  const podRules = rules.get(cacheKey) ?? createRules(owner, relaxation, namespaces);
  rules.set(cacheKey, podRules);
  return podRules;
}

const NO_RULES: readonly TopologyRule[] = [];

const hasNoRules = (spec: PodSpec, relaxation: Relaxation): boolean =>
  relaxation.spreads.length === 0 &&
  spec.podAffinity.length === 0 &&
  spec.podAntiAffinity.length === 0 &&
  relaxation.podAffinity.length === 0 &&
  relaxation.podAntiAffinity.length === 0;

/** Whether ways of one class bring the same rules, because what tells them apart is about nodes. */
export const haveSameRules = (a: Relaxation, b: Relaxation): boolean =>
  a.spreads === b.spreads &&
  a.podAffinity === b.podAffinity &&
  a.podAntiAffinity === b.podAntiAffinity &&
  a.anyOf === b.anyOf;

/** Undefined where rules have to be written anew: which namespaces a selector means may change. */
function createCache({ spec }: RuleOwner, relaxation: Relaxation): CachedRules | undefined {
  const preferred = [...relaxation.podAffinity, ...relaxation.podAntiAffinity];
  const terms = [...spec.podAffinity, ...spec.podAntiAffinity, ...preferred];
  if (terms.some(({ namespaceSelector }) => namespaceSelector)) return undefined;
  const labelKeys = [...spec.topologySpread, ...terms].flatMap((one) => one.matchLabelKeys);
  const newCache: CachedRules = { labelKeys, rules: new Map() };
  rulesByRelaxation.set(relaxation, newCache);
  return newCache;
}

function createRules(
  owner: RuleOwner,
  relaxation: Relaxation,
  namespaces: Readonly<Record<string, Labels>>,
): TopologyRule[] {
  return [
    ...relaxation.spreads.map((spread) => createSpreadRule(spread, owner, relaxation)),
    ...createRequiredAffinityRules(owner, namespaces),
    ...owner.spec.podAntiAffinity.map((term) =>
      createAffinityRule('anti-affinity', term, owner, namespaces),
    ),
    ...relaxation.podAffinity.map((term) =>
      toPreferredRule(createAffinityRule('affinity', term, owner, namespaces)),
    ),
    ...relaxation.podAntiAffinity.map((term) =>
      toPreferredRule(createAffinityRule('anti-affinity', term, owner, namespaces)),
    ),
  ];
}

/**
 * @see kube-scheduler, InterPodAffinity: a pod that matches only some of the terms is no company in
 *   the domain of any
 */
export function createRequiredAffinityRules(
  owner: RuleOwner,
  cached: Readonly<Record<string, Labels>>,
): TopologyRule[] {
  const rules = owner.spec.podAffinity.map((term) =>
    createAffinityRule('affinity', term, owner, cached),
  );
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
