import type { Reason } from '../../model/explanations/reasons.ts';
import { memoize } from '../../model/memo.ts';
import type { PodSpec } from '../../model/pods/pod.ts';

/**
 * Limits of what one pod may ask for, far above what workloads need. Every alternative of a pod is
 * tried on its own, so that a pod beyond a limit would take the time of all other pods.
 */
const MAX_ALTERNATIVES = 2_000;
const MAX_RULES = 10_000;
const MAX_REQUIREMENT_VALUES = 20_000;
const MAX_HOST_PORTS = 1_000;
const MAX_RESOURCES = 100;

/** The size of a pod's requirements, counted without computing them. */
interface Complexity {
  /** Required node terms times terms of volumes times steps of giving up preferences. */
  readonly alternatives: number;
  /** Spread and affinity rules of all steps together. */
  readonly rules: number;
  /** Values, expressions and tolerations that are compared with nodes, in all alternatives. */
  readonly values: number;
}

const computeComplexity = memoize((spec: PodSpec): Complexity => {
  const preferences =
    spec.preferredNodeTerms.length +
    spec.preferredPodAffinity.length +
    spec.preferredPodAntiAffinity.length +
    spec.topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable !== 'DoNotSchedule').length;
  const levels = 2 + preferences;
  const terms = Math.max(1, spec.requiredNodeTerms.length);
  const volumeTerms = Math.max(1, spec.resolved?.nodeTerms.length ?? 0);
  const rules =
    spec.topologySpread.length +
    spec.podAffinity.length +
    spec.podAntiAffinity.length +
    spec.preferredPodAffinity.length +
    spec.preferredPodAntiAffinity.length;
  const expressions = [...spec.requiredNodeTerms.flat(), ...spec.preferredNodeTerms.flatMap(({ term }) => term)];
  const values = expressions.reduce((total, one) => total + 1 + (one.values?.length ?? 0), 0);
  return {
    alternatives: terms * volumeTerms * levels,
    rules: rules * levels,
    values: values * volumeTerms + spec.tolerations.length,
  };
});

/**
 * Returns why a pod is not planned: it asks for more than one of the limits allows.
 *
 * @param spec - with its volumes resolved
 */
export const findExcess = memoize((spec: PodSpec): { readonly reason: Reason } | undefined => {
  const { alternatives, rules, values } = computeComplexity(spec);
  const counts: readonly (readonly [what: string, number: number, limit: number])[] = [
    ['alternatives (required node terms times steps of preferences)', alternatives, MAX_ALTERNATIVES],
    ['topology and affinity rules (times steps of preferences)', rules, MAX_RULES],
    ['values in node requirements', values, MAX_REQUIREMENT_VALUES],
    ['host ports', spec.hostPorts.length, MAX_HOST_PORTS],
    ['kinds of resources', Object.keys(spec.requests).length, MAX_RESOURCES],
  ];
  const excess = counts.find(([, number, limit]) => number > limit);
  if (!excess) return undefined;
  const [what, number, limit] = excess;
  return { reason: createTooComplexReason(what, `${number}`, limit) };
});

/** The work was stopped at the limit, so the number of operations that it takes is unknown. */
export const createTooMuchWorkReason = (what: string, limit: number): Reason =>
  createTooComplexReason(what, `more than ${limit}`, limit);

const createTooComplexReason = (what: string, number: string, limit: number): Reason => ({
  code: 'too-complex',
  fields: { what, number, limit: `${limit}` },
});

/** The search for devices tries combinations. */
const DEVICE_WORK = 50;

/** An estimate of the work for a pod of this spec, relative to other pods. */
export function estimateWork(spec: PodSpec): number {
  const { alternatives, rules, values } = computeComplexity(spec);
  const ownRules = spec.topologySpread.length + spec.podAffinity.length + spec.podAntiAffinity.length;
  // Every spread multiplies the combinations of domains.
  const combinations = 3 ** Math.min(spec.topologySpread.length, 10);
  const devices = DEVICE_WORK * (spec.deviceClaims?.length ?? 0);
  return alternatives * combinations + 5 * (rules + ownRules) + values / 10 + spec.hostPorts.length + devices;
}
