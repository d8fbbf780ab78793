import { ownValue } from '../own-value.ts';
import type { PodSpec } from './pod.ts';

/*
 * Changes of the rules in a pod's spec that fixes propose. The planner tries them, and the page applies them.
 */

/** Returns the spec with another key of a label wherever it stands, and the first place of it. */
export function withRenamedLabel(
  spec: PodSpec,
  key: string,
  intended: string,
): { readonly spec: PodSpec; readonly path: string } | undefined {
  const rename = <T extends { readonly key: string }>(one: T): T => (one.key === key ? { ...one, key: intended } : one);
  const isUsed = (terms: readonly { readonly key: string }[]): boolean => terms.some((one) => one.key === key);
  const { [key]: value, ...others } = spec.nodeSelector;
  const paths: readonly (readonly [path: string, isUsed: boolean])[] = [
    ['nodeSelector', value !== undefined],
    ['affinity.nodeAffinity', spec.requiredNodeTerms.some(isUsed)],
    ['topologySpreadConstraints', isUsed(spec.topologySpread)],
    ['affinity', isUsed([...spec.podAffinity, ...spec.podAntiAffinity])],
  ];
  const [path] = paths.find(([, used]) => used) ?? [];
  if (path === undefined) return undefined;
  const renamed = {
    ...spec,
    nodeSelector: value === undefined ? spec.nodeSelector : { ...others, [intended]: value },
    requiredNodeTerms: spec.requiredNodeTerms.map((term) => term.map(rename)),
    topologySpread: spec.topologySpread.map(rename),
    podAffinity: spec.podAffinity.map(rename),
    podAntiAffinity: spec.podAntiAffinity.map(rename),
  };
  return { spec: renamed, path };
}

/** Returns the spec without requirements on a label of its node. */
export function withoutSelector(spec: PodSpec, key: string): PodSpec {
  const { [key]: _, ...nodeSelector } = spec.nodeSelector;
  const terms = spec.requiredNodeTerms.map((term) => term.filter((one) => one.key !== key));
  // A term without expressions meets no node, and every other term is as good as the rest.
  return { ...spec, nodeSelector, requiredNodeTerms: terms.filter((term) => term.length > 0) };
}

/** Returns the spec with another minDomains of the spread with this index. */
export const withMinDomains = (spec: PodSpec, index: number, minDomains: number): PodSpec => ({
  ...spec,
  topologySpread: spec.topologySpread.map((one, position) => (position === index ? { ...one, minDomains } : one)),
});

/** Returns the spec that asks for pods with another value of the label. */
export const withCorrectAffinity = (spec: PodSpec, label: string, from: string, to: string): PodSpec => ({
  ...spec,
  podAffinity: spec.podAffinity.map((term) => {
    const { selector } = term;
    if (!selector || ownValue(selector.matchLabels, label) !== from) return term;
    return { ...term, selector: { ...selector, matchLabels: { ...selector.matchLabels, [label]: to } } };
  }),
});

const MAX_WEIGHT = 100;

/**
 * Returns the spec with a rule as a preference.
 *
 * @param path - `topologySpreadConstraints[0]`, or an entry of the required terms of an affinity
 */
export function withPreferredRule(spec: PodSpec, path: string): PodSpec {
  const index = Number(/\[(\d+)\]$/.exec(path)?.[1] ?? -1);
  if (path.includes('topologySpreadConstraints')) {
    const topologySpread = spec.topologySpread.map((one, position) => {
      if (position !== index) return one;
      const { minDomains: _, ...kept } = one;
      return { ...kept, whenUnsatisfiable: 'ScheduleAnyway' as const };
    });
    return { ...spec, topologySpread };
  }
  const isAnti = path.includes('podAntiAffinity');
  const term = (isAnti ? spec.podAntiAffinity : spec.podAffinity)[index];
  if (!term) return spec;
  const preferred = { weight: MAX_WEIGHT, term };
  return isAnti
    ? {
        ...spec,
        podAntiAffinity: spec.podAntiAffinity.toSpliced(index, 1),
        preferredPodAntiAffinity: [...spec.preferredPodAntiAffinity, preferred],
      }
    : {
        ...spec,
        podAffinity: spec.podAffinity.toSpliced(index, 1),
        preferredPodAffinity: [...spec.preferredPodAffinity, preferred],
      };
}
