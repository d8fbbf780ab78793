import type { PodSpec, TopologySpreadConstraint } from '../model/pod.ts';
import {
  intersectRequirements,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsOfLabels,
  toRequirements,
} from '../model/requirements.ts';
import type { Toleration } from '../model/taints.ts';

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
  readonly tolerations: readonly Toleration[];
}

/**
 * The ways to satisfy a pod. Preferences are given up one by one in Karpenter's order (node
 * preferences heaviest first, then ScheduleAnyway spreads, then PreferNoSchedule taints); within
 * each level every required term is tried, since any of them will do.
 *
 * Preferred pod affinity is not weighed yet.
 */
export function alternativesOf(spec: PodSpec): readonly Alternative[] {
  const known = listed.get(spec);
  if (known) return known;
  const alternatives = listAlternatives(spec);
  listed.set(spec, alternatives);
  return alternatives;
}

// Pods of one template share their spec, and ask again with every decision.
const listed = new WeakMap<PodSpec, readonly Alternative[]>();

function listAlternatives(spec: PodSpec): Alternative[] {
  const terms = spec.requiredNodeTerms.length > 0 ? spec.requiredNodeTerms : [[]];
  const selector = requirementsOfLabels(spec.nodeSelector);
  const anyOf = terms.map((term) => intersectRequirements(selector, toRequirements(term)));
  const reaches = reachesOf(spec);
  return levelsOf(spec).flatMap(({ preference, spreads, tolerations }, level) =>
    anyOf.flatMap((strict) =>
      reaches.map((reach) => {
        const requirements = intersectRequirements(strict, preference, reach);
        return { level, strict, anyOf, requirements, spreads, tolerations };
      }),
    ),
  );
}

/** Where the volumes of the pod can be reached: that binds its nodes, not the domains it counts. */
const reachesOf = ({ settled }: PodSpec): readonly Requirements[] =>
  settled && settled.nodeTerms.length > 0
    ? settled.nodeTerms.map(toRequirements)
    : [NO_REQUIREMENTS];

interface Level {
  readonly preference: Requirements;
  readonly spreads: readonly TopologySpreadConstraint[];
  readonly tolerations: readonly Toleration[];
}

function levelsOf(spec: PodSpec): Level[] {
  const none: Requirements = new Map();
  const { tolerations, topologySpread: spreads } = spec;
  const hard = spreads.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
  const soft = spreads.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');

  const preferences = spec.preferredNodeTerms
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ term }) => toRequirements(term));
  const levels = [...preferences, none].map((preference) => ({ preference, spreads, tolerations }));
  for (let kept = soft.length - 1; kept >= 0; kept--) {
    const left = [...hard, ...soft.slice(soft.length - kept)];
    levels.push({ preference: none, spreads: left, tolerations });
  }
  const anyTaint: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };
  levels.push({ preference: none, spreads: hard, tolerations: [...tolerations, anyTaint] });
  return levels;
}

/** The ways that have given up every preference, one per required term: what the pod must have. */
export function leastDemanding(spec: PodSpec): readonly [Alternative, ...Alternative[]] {
  const terms = Math.max(1, spec.requiredNodeTerms.length) * reachesOf(spec).length;
  const [first, ...rest] = alternativesOf(spec).slice(-terms);
  if (!first) throw new RangeError('a pod has at least one way to be satisfied');
  return [first, ...rest];
}
