import { getOrCreate, memoize } from '../../model/memo.ts';
import type { PodAffinityTerm, PodSpec, TopologySpreadConstraint, Weighted } from '../../model/pods/pod.ts';
import {
  conjoinRequirements,
  NO_REQUIREMENTS,
  type Requirements,
  toLabelRequirements,
  toRequirements,
} from '../../model/requirements/requirements.ts';
import type { Toleration } from '../../model/requirements/taints.ts';
import type { DecisionSettings } from '../../model/settings.ts';

/**
 * The requirements of a pod with one of its required node terms and some of its preferences, as
 * Karpenter relaxes them step by step.
 */
export interface Relaxation {
  /** Number of preferences that were given up. */
  readonly level: number;
  /** The requirements that hold at every level. */
  readonly strict: Requirements;
  /** `strict` of every required term: a node that meets any of them is acceptable. */
  readonly anyOf: readonly Requirements[];
  /** `strict` and the preferences that are still kept. */
  readonly requirements: Requirements;
  readonly spreads: readonly TopologySpreadConstraint[];
  /**
   * Preferred terms that are still kept. Required terms are not listed here because they always
   * hold.
   */
  readonly podAffinity: readonly PodAffinityTerm[];
  readonly podAntiAffinity: readonly PodAffinityTerm[];
  readonly tolerations: readonly Toleration[];
}

/**
 * Lists the relaxations of a pod. Preferences are given up one by one in Karpenter's order: pod
 * affinity, pod anti-affinity and node affinity (each heaviest first), then ScheduleAnyway spreads,
 * then PreferNoSchedule taints. Each level has one relaxation per required node term, because any
 * of them is acceptable.
 */
export function listRelaxations(spec: PodSpec, policy: PreferencePolicy = 'Respect'): readonly Relaxation[] {
  const byPolicy = RELAXATIONS_BY_SPEC[policy];
  return getOrCreate(byPolicy, spec, () => computeRelaxations(spec, policy));
}

/** Counts the spreads and the preferred pod affinity that a relaxation still keeps. */
export const countTopologyRules = ({ spreads, podAffinity, podAntiAffinity }: Relaxation): number =>
  spreads.length + podAffinity.length + podAntiAffinity.length;

/** The requirements of the first relaxation: all preferences, and the first required term. */
export const listFirstRequirements = memoize((spec: PodSpec): Requirements => {
  const [term = []] = spec.requiredNodeTerms;
  const [preferred = []] = sortHeaviestFirst(spec.preferredNodeTerms);
  return conjoinRequirements(
    toLabelRequirements(spec.nodeSelector),
    ...term.map((one) => toRequirements([one])),
    toRequirements(preferred),
    listVolumeTerms(spec)[0] ?? NO_REQUIREMENTS,
  );
});

type PreferencePolicy = DecisionSettings['preferencePolicy'];
type RelaxationsBySpec = WeakMap<PodSpec, readonly Relaxation[]>;

// Pods of one template share their spec, and every decision asks again.
const RELAXATIONS_BY_SPEC: Readonly<Record<PreferencePolicy, RelaxationsBySpec>> = {
  Respect: new WeakMap(),
  Ignore: new WeakMap(),
};

function computeRelaxations(spec: PodSpec, policy: PreferencePolicy): Relaxation[] {
  const terms = spec.requiredNodeTerms.length > 0 ? spec.requiredNodeTerms : [[]];
  const selector = toLabelRequirements(spec.nodeSelector);
  const anyOf = terms.map((term) => conjoinRequirements(selector, ...term.map((one) => toRequirements([one]))));
  const volumeTerms = listVolumeTerms(spec);
  return listLevels(spec, policy).flatMap(({ preference, ...keptPreferences }, level) =>
    anyOf.flatMap((strict) =>
      volumeTerms.map((volumeTerm) => {
        const requirements = conjoinRequirements(strict, preference, volumeTerm);
        return { ...keptPreferences, level, strict, anyOf, requirements };
      }),
    ),
  );
}

/**
 * Lists where the pod's volumes can be reached. These terms restrict the nodes but not the topology
 * domains that are counted.
 */
const listVolumeTerms = ({ resolved }: PodSpec): readonly Requirements[] =>
  resolved && resolved.nodeTerms.length > 0 ? resolved.nodeTerms.map(toRequirements) : [NO_REQUIREMENTS];

type RelaxationLevel = Pick<Relaxation, 'spreads' | 'tolerations' | 'podAffinity' | 'podAntiAffinity'> & {
  readonly preference: Requirements;
};

/** Lists the levels from all preferences to none, with one preference fewer at each step. */
function listLevels(spec: PodSpec, policy: PreferencePolicy): RelaxationLevel[] {
  const { tolerations, topologySpread } = spec;
  const required = topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === DO_NOT_SCHEDULE);
  const withoutPreferences = {
    preference: NO_REQUIREMENTS,
    spreads: required,
    podAffinity: [],
    podAntiAffinity: [],
  };
  const anyTaint: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };
  const lastLevel = { ...withoutPreferences, tolerations: [...tolerations, anyTaint] };
  if (policy === 'Ignore' || hasNoPreferences(spec)) return [{ ...withoutPreferences, tolerations }, lastLevel];

  const preferred = topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable !== DO_NOT_SCHEDULE);
  const podAffinity = sortHeaviestFirst(spec.preferredPodAffinity);
  const podAntiAffinity = sortHeaviestFirst(spec.preferredPodAntiAffinity);
  const nodeTerms = sortHeaviestFirst(spec.preferredNodeTerms);
  const keepPreferences = (keptPreferences: KeptPreferences): RelaxationLevel => ({
    // Only the heaviest remaining node term applies.
    preference: toRequirements(takeLast(nodeTerms, keptPreferences.nodeTerms)[0] ?? []),
    spreads: [...required, ...takeLast(preferred, keptPreferences.spreads)],
    podAffinity: takeLast(podAffinity, keptPreferences.podAffinity),
    podAntiAffinity: takeLast(podAntiAffinity, keptPreferences.podAntiAffinity),
    tolerations,
  });
  const keptPreferences = {
    podAffinity: podAffinity.length,
    podAntiAffinity: podAntiAffinity.length,
    nodeTerms: nodeTerms.length,
    spreads: preferred.length,
  };
  const levels = [keepPreferences(keptPreferences)];
  for (const preference of RELAXATION_ORDER) {
    while (keptPreferences[preference] > 0) {
      keptPreferences[preference] -= 1;
      levels.push(keepPreferences(keptPreferences));
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

const takeLast = <T>(items: readonly T[], count: number): readonly T[] => items.slice(items.length - count);

/**
 * Lists the relaxations without any preference, one per required term: the minimum that the pod
 * requires.
 */
export function listFullyRelaxed(spec: PodSpec): readonly [Relaxation, ...Relaxation[]] {
  const terms = Math.max(1, spec.requiredNodeTerms.length) * listVolumeTerms(spec).length;
  const [first, ...rest] = listRelaxations(spec).slice(-terms);
  if (!first) throw new RangeError('a pod has at least one way to be satisfied');
  return [first, ...rest];
}

/** Lists the pod's own node requirements; a node must meet any one of them. */
export function listRequiredNodeTerms({ nodeSelector, requiredNodeTerms }: PodSpec): readonly Requirements[] {
  const selector = toLabelRequirements(nodeSelector);
  if (requiredNodeTerms.length === 0) return [selector];
  return requiredNodeTerms.map((term) => conjoinRequirements(selector, toRequirements(term)));
}
