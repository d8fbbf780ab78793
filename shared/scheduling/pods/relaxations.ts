import type { PodAffinityTerm, PodSpec, TopologySpreadConstraint, Weighted } from '../../model/pod.ts';
import { conjunctionOf, NO_REQUIREMENTS, type Requirements, requirementsOfLabels, toRequirements } from '../../model/requirements.ts';
import type { DecisionSettings } from '../../model/settings.ts';
import type { Toleration } from '../../model/taints.ts';

/** One way to satisfy a pod: one of its required terms, with some of its preferences. */
export interface Alternative {
  /** How many steps of giving up preferences led here. */
  readonly level: number;
  /** What must hold whatever is given up. */
  readonly strict: Requirements;
  /** `strict` of every required term: a node that meets any of them is one for the pod. */
  readonly anyOf: readonly Requirements[];
  /** `strict` and the preferences that are still kept. */
  readonly requirements: Requirements;
  readonly spreads: readonly TopologySpreadConstraint[];
  /** Preferred terms that are still kept; the required ones hold anyway. */
  readonly podAffinity: readonly PodAffinityTerm[];
  readonly podAntiAffinity: readonly PodAffinityTerm[];
  readonly tolerations: readonly Toleration[];
}

/**
 * The ways to satisfy a pod. Preferences are given up one by one in Karpenter's order (pods to be
 * near, pods to be apart from, and nodes, each heaviest first, then ScheduleAnyway spreads, then
 * PreferNoSchedule taints); within each level every required term is tried, since any will do.
 */
export function alternativesOf(
  spec: PodSpec,
  policy: PreferencePolicy = 'Respect',
): readonly Alternative[] {
  const listed = LISTED[policy];
  const known = listed.get(spec);
  if (known) return known;
  const alternatives = listAlternatives(spec, policy);
  listed.set(spec, alternatives);
  return alternatives;
}

type PreferencePolicy = DecisionSettings['preferencePolicy'];
type Listed = WeakMap<PodSpec, readonly Alternative[]>;

// Pods of one template share their spec, and ask again with every decision.
const LISTED: Readonly<Record<PreferencePolicy, Listed>> = {
  Respect: new WeakMap(),
  Ignore: new WeakMap(),
};

function listAlternatives(spec: PodSpec, policy: PreferencePolicy): Alternative[] {
  const terms = spec.requiredNodeTerms.length > 0 ? spec.requiredNodeTerms : [[]];
  const selector = requirementsOfLabels(spec.nodeSelector);
  const anyOf = terms.map((term) =>
    conjunctionOf(selector, ...term.map((one) => toRequirements([one]))),
  );
  const reaches = reachesOf(spec);
  return levelsOf(spec, policy).flatMap(({ preference, ...kept }, level) =>
    anyOf.flatMap((strict) =>
      reaches.map((reach) => {
        const requirements = conjunctionOf(strict, preference, reach);
        return { ...kept, level, strict, anyOf, requirements };
      }),
    ),
  );
}

/** Where the volumes of the pod can be reached: that binds its nodes, not the domains it counts. */
const reachesOf = ({ settled }: PodSpec): readonly Requirements[] =>
  settled && settled.nodeTerms.length > 0
    ? settled.nodeTerms.map(toRequirements)
    : [NO_REQUIREMENTS];

type Level = Pick<Alternative, 'spreads' | 'tolerations' | 'podAffinity' | 'podAntiAffinity'> & {
  readonly preference: Requirements;
};

/** From everything that the pod would like to nothing of it, one preference less with each step. */
function levelsOf(spec: PodSpec, policy: PreferencePolicy): Level[] {
  const { tolerations, topologySpread } = spec;
  const hard = topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === HARD);
  const nothing = {
    preference: NO_REQUIREMENTS,
    spreads: hard,
    podAffinity: [],
    podAntiAffinity: [],
  };
  const anyTaint: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };
  const last = { ...nothing, tolerations: [...tolerations, anyTaint] };
  if (policy === 'Ignore' || prefersNothing(spec)) return [{ ...nothing, tolerations }, last];

  const soft = topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable !== HARD);
  const near = heaviestFirst(spec.preferredPodAffinity);
  const apart = heaviestFirst(spec.preferredPodAntiAffinity);
  const places = heaviestFirst(spec.preferredNodeTerms);
  const keeping = (kept: Kept): Level => ({
    // Of the places only the best-liked counts, until it is given up.
    preference: toRequirements(lastOf(places, kept.places)[0] ?? []),
    spreads: [...hard, ...lastOf(soft, kept.spreads)],
    podAffinity: lastOf(near, kept.near),
    podAntiAffinity: lastOf(apart, kept.apart),
    tolerations,
  });
  const kept = {
    near: near.length,
    apart: apart.length,
    places: places.length,
    spreads: soft.length,
  };
  const levels = [keeping(kept)];
  for (const what of ORDER_OF_GIVING_UP) {
    while (kept[what] > 0) {
      kept[what] -= 1;
      levels.push(keeping(kept));
    }
  }
  return [...levels, last];
}

const HARD = 'DoNotSchedule';

const prefersNothing = (spec: PodSpec): boolean =>
  spec.preferredPodAffinity.length === 0 &&
  spec.preferredPodAntiAffinity.length === 0 &&
  spec.preferredNodeTerms.length === 0 &&
  spec.topologySpread.every(({ whenUnsatisfiable }) => whenUnsatisfiable === HARD);

/** @see Karpenter, Preferences.Relax */
const ORDER_OF_GIVING_UP = ['near', 'apart', 'places', 'spreads'] as const;
type Kept = Record<(typeof ORDER_OF_GIVING_UP)[number], number>;

const heaviestFirst = <T>(terms: readonly Weighted<T>[]): readonly T[] =>
  terms.toSorted((a, b) => b.weight - a.weight).map(({ term }) => term);

const lastOf = <T>(items: readonly T[], count: number): readonly T[] =>
  items.slice(items.length - count);

/** The ways that have given up every preference, one per required term: what the pod must have. */
export function leastDemanding(spec: PodSpec): readonly [Alternative, ...Alternative[]] {
  const terms = Math.max(1, spec.requiredNodeTerms.length) * reachesOf(spec).length;
  const [first, ...rest] = alternativesOf(spec).slice(-terms);
  if (!first) throw new RangeError('a pod has at least one way to be satisfied');
  return [first, ...rest];
}

/** What a pod itself asks of its node: any one of these must hold. */
export function requiredOfNode({
  nodeSelector,
  requiredNodeTerms,
}: PodSpec): readonly Requirements[] {
  const selector = requirementsOfLabels(nodeSelector);
  if (requiredNodeTerms.length === 0) return [selector];
  return requiredNodeTerms.map((term) => conjunctionOf(selector, toRequirements(term)));
}
