import type { Labels } from '../../model/labels.ts';
import type { PodSpec } from '../../model/pod.ts';
import type { Alternative } from '../pods/relaxations.ts';
import { affinityRule, type RuleOwner, spreadRule, type TopologyRule } from './topology-rules.ts';

// Identities are texts, and texts are slow: those of a template are written once.
const written = new WeakMap<Alternative, Written>();

interface Written {
  /** Labels of the pod whose values are part of what its rules select. */
  readonly labelKeys: readonly string[];
  /** By namespace and the values of those labels. */
  readonly rules: Map<string, readonly TopologyRule[]>;
}

/** The rules that pods satisfied in this way carry. */
export function rulesOf(
  owner: RuleOwner,
  alternative: Alternative,
  namespaces: Readonly<Record<string, Labels>>,
): readonly TopologyRule[] {
  if (hasNoRules(owner.spec, alternative)) return NO_RULES;
  const known = written.get(alternative) ?? startWriting(owner, alternative);
  if (!known) return writeRules(owner, alternative, namespaces);
  const { labelKeys, rules } = known;
  const values = labelKeys.map((key) => `,${owner.labels[key] ?? '\n'}`);
  const asked = values.length > 0 ? owner.namespace + values.join('') : owner.namespace;
  const own = rules.get(asked) ?? writeRules(owner, alternative, namespaces);
  rules.set(asked, own);
  return own;
}

const NO_RULES: readonly TopologyRule[] = [];

const hasNoRules = (spec: PodSpec, way: Alternative): boolean =>
  way.spreads.length === 0 &&
  spec.podAffinity.length === 0 &&
  spec.podAntiAffinity.length === 0 &&
  way.podAffinity.length === 0 &&
  way.podAntiAffinity.length === 0;

/** Whether ways of one class bring the same rules, because what tells them apart is about nodes. */
export const haveSameRules = (a: Alternative, b: Alternative): boolean =>
  a.spreads === b.spreads &&
  a.podAffinity === b.podAffinity &&
  a.podAntiAffinity === b.podAntiAffinity &&
  a.anyOf === b.anyOf;

/** Undefined where rules have to be written anew: which namespaces a selector means may change. */
function startWriting({ spec }: RuleOwner, alternative: Alternative): Written | undefined {
  const preferred = [...alternative.podAffinity, ...alternative.podAntiAffinity];
  const terms = [...spec.podAffinity, ...spec.podAntiAffinity, ...preferred];
  if (terms.some(({ namespaceSelector }) => namespaceSelector)) return undefined;
  const labelKeys = [...spec.topologySpread, ...terms].flatMap((one) => one.matchLabelKeys);
  const start: Written = { labelKeys, rules: new Map() };
  written.set(alternative, start);
  return start;
}

function writeRules(
  owner: RuleOwner,
  alternative: Alternative,
  namespaces: Readonly<Record<string, Labels>>,
): TopologyRule[] {
  return [
    ...alternative.spreads.map((spread) => spreadRule(spread, owner, alternative)),
    ...requiredAffinity(owner, namespaces),
    ...owner.spec.podAntiAffinity.map((term) =>
      affinityRule('anti-affinity', term, owner, namespaces),
    ),
    ...alternative.podAffinity.map((term) =>
      softened(affinityRule('affinity', term, owner, namespaces)),
    ),
    ...alternative.podAntiAffinity.map((term) =>
      softened(affinityRule('anti-affinity', term, owner, namespaces)),
    ),
  ];
}

/**
 * @see kube-scheduler, InterPodAffinity: a pod that matches only some of the terms is no company in
 *   the domain of any
 */
export function requiredAffinity(
  owner: RuleOwner,
  known: Readonly<Record<string, Labels>>,
): TopologyRule[] {
  const rules = owner.spec.podAffinity.map((term) => affinityRule('affinity', term, owner, known));
  if (rules.length < 2) return rules;
  const all = rules.map(({ id }) => id).toSorted();
  return rules.map((rule) => ({
    ...rule,
    id: `${rule.id} of ${all.join()}`,
    besides: rules.filter((other) => other !== rule),
  }));
}

const softened = (rule: TopologyRule): TopologyRule => ({
  ...rule,
  id: `preferred ${rule.id}`,
  isSoft: true,
});
