import type {
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
  Weighted,
} from '../../model/pods/pod.ts';
import {
  conjunctionOf,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsOfLabels,
  toRequirements,
} from '../../model/requirements/requirements.ts';
import type { Toleration } from '../../model/requirements/taints.ts';
import type { DecisionSettings } from '../../model/settings.ts';

/** One way to satisfy a pod: one of its required terms, with some of its preferences. */
export interface Relaxation {
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
export function listRelaxations(
  spec: PodSpec,
  policy: PreferencePolicy = 'Respect',
): readonly Relaxation[] {
  const byPolicy = RELAXATIONS_BY_SPEC[policy];
  const cached = byPolicy.get(spec);
  if (cached) return cached;
  const alternatives = computeRelaxations(spec, policy);
  byPolicy.set(spec, alternatives);
  return alternatives;
}

type PreferencePolicy = DecisionSettings['preferencePolicy'];
type RelaxationsBySpec = WeakMap<PodSpec, readonly Relaxation[]>;

// Pods of one template share their spec, and ask again with every decision.
const RELAXATIONS_BY_SPEC: Readonly<Record<PreferencePolicy, RelaxationsBySpec>> = {
  Respect: new WeakMap(),
  Ignore: new WeakMap(),
};

function computeRelaxations(spec: PodSpec, policy: PreferencePolicy): Relaxation[] {
  const terms = spec.requiredNodeTerms.length > 0 ? spec.requiredNodeTerms : [[]];
  const selector = requirementsOfLabels(spec.nodeSelector);
  const anyOf = terms.map((term) =>
    conjunctionOf(selector, ...term.map((one) => toRequirements([one]))),
  );
  const volumeTerms = listVolumeTerms(spec);
  return listLevels(spec, policy).flatMap(({ preference, ...kept }, level) =>
    anyOf.flatMap((strict) =>
      volumeTerms.map((volumeTerm) => {
        const requirements = conjunctionOf(strict, preference, volumeTerm);
        return { ...kept, level, strict, anyOf, requirements };
      }),
    ),
  );
}

/** Where the volumes of the pod can be reached: that binds its nodes, not the domains it counts. */
const listVolumeTerms = ({ settled }: PodSpec): readonly Requirements[] =>
  settled && settled.nodeTerms.length > 0
    ? settled.nodeTerms.map(toRequirements)
    : [NO_REQUIREMENTS];

type RelaxationLevel = Pick<
  Relaxation,
  'spreads' | 'tolerations' | 'podAffinity' | 'podAntiAffinity'
> & {
  readonly preference: Requirements;
};

/** From everything that the pod would like to nothing of it, one preference less with each step. */
function listLevels(spec: PodSpec, policy: PreferencePolicy): RelaxationLevel[] {
  const { tolerations, topologySpread } = spec;
  const required = topologySpread.filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === DO_NOT_SCHEDULE,
  );
  const withoutPreferences = {
    preference: NO_REQUIREMENTS,
    spreads: required,
    podAffinity: [],
    podAntiAffinity: [],
  };
  const anyTaint: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };
  const lastLevel = { ...withoutPreferences, tolerations: [...tolerations, anyTaint] };
  if (policy === 'Ignore' || hasNoPreferences(spec))
    return [{ ...withoutPreferences, tolerations }, lastLevel];

  const preferred = topologySpread.filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable !== DO_NOT_SCHEDULE,
  );
  const podAffinity = sortHeaviestFirst(spec.preferredPodAffinity);
  const podAntiAffinity = sortHeaviestFirst(spec.preferredPodAntiAffinity);
  const nodeTerms = sortHeaviestFirst(spec.preferredNodeTerms);
  const keepPreferences = (kept: KeptPreferences): RelaxationLevel => ({
    // Of the places only the best-liked counts, until it is given up.
    preference: toRequirements(takeLast(nodeTerms, kept.nodeTerms)[0] ?? []),
    spreads: [...required, ...takeLast(preferred, kept.spreads)],
    podAffinity: takeLast(podAffinity, kept.podAffinity),
    podAntiAffinity: takeLast(podAntiAffinity, kept.podAntiAffinity),
    tolerations,
  });
  const kept = {
    podAffinity: podAffinity.length,
    podAntiAffinity: podAntiAffinity.length,
    nodeTerms: nodeTerms.length,
    spreads: preferred.length,
  };
  const levels = [keepPreferences(kept)];
  for (const preference of RELAXATION_ORDER) {
    while (kept[preference] > 0) {
      kept[preference] -= 1;
      levels.push(keepPreferences(kept));
    }
  }
  return [...levels, lastLevel];
}

const DO_NOT_SCHEDULE = 'DoNotSchedule';

const hasNoPreferences = (spec: PodSpec): boolean =>
  spec.preferredPodAffinity.length === 0 &&
  spec.preferredPodAntiAffinity.length === 0 &&
  spec.preferredNodeTerms.length === 0 &&
  spec.topologySpread.every(({ whenUnsatisfiable }) => whenUnsatisfiable === DO_NOT_SCHEDULE);

/** @see Karpenter, Preferences.Relax */
const RELAXATION_ORDER = ['podAffinity', 'podAntiAffinity', 'nodeTerms', 'spreads'] as const;
type KeptPreferences = Record<(typeof RELAXATION_ORDER)[number], number>;

const sortHeaviestFirst = <T>(terms: readonly Weighted<T>[]): readonly T[] =>
  terms.toSorted((a, b) => b.weight - a.weight).map(({ term }) => term);

const takeLast = <T>(items: readonly T[], count: number): readonly T[] =>
  items.slice(items.length - count);

/** The ways that have given up every preference, one per required term: what the pod must have. */
export function listFullyRelaxed(spec: PodSpec): readonly [Relaxation, ...Relaxation[]] {
  const terms = Math.max(1, spec.requiredNodeTerms.length) * listVolumeTerms(spec).length;
  const [first, ...rest] = listRelaxations(spec).slice(-terms);
  if (!first) throw new RangeError('a pod has at least one way to be satisfied');
  return [first, ...rest];
}

/** What a pod itself asks of its node: any one of these must hold. */
export function listRequiredNodeTerms({
  nodeSelector,
  requiredNodeTerms,
}: PodSpec): readonly Requirements[] {
  const selector = requirementsOfLabels(nodeSelector);
  if (requiredNodeTerms.length === 0) return [selector];
  return requiredNodeTerms.map((term) => conjunctionOf(selector, toRequirements(term)));
}
