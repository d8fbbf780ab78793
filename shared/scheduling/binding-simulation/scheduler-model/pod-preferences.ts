import { getOrCreate } from '../../../model/memo.ts';
import type { Problem } from '../../input/problem.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import { countRunningPods } from '../../topology/running-pod-counts.ts';
import { createAffinityRule, isSelected, type TopologyRule } from '../../topology/topology-rules.ts';

/**
 * A topology rule with the running pods that it selects, and the running pods that carry it, by
 * domain.
 */
export interface TrackedRule {
  /** Index among the tracked rules of the batch. */
  readonly number: number;
  readonly rule: TopologyRule;
  readonly counts: ReadonlyMap<string, number>;
  readonly owners: ReadonlyMap<string, number>;
}

/**
 * The weight of a preferred (anti-)affinity: what each counted pod adds to the score of its domain.
 */
export interface AffinityWeight {
  readonly counted: TrackedRule;
  /** Negative for anti-affinity. */
  readonly weight: number;
  /** The pods that count: those that the rule selects, or those that carry the rule. */
  readonly countedPods: 'selected' | 'owners';
}

/** Returns the tracked rule with the id of `rule`, and numbers it on first use. */
export type TrackRule = (
  rule: TopologyRule,
  counts: ReadonlyMap<string, number>,
  owners: ReadonlyMap<string, number>,
) => TrackedRule;

/** A preferred pod (anti-)affinity term, or a required affinity term, which scores as well. */
export interface PodPreference {
  readonly counted: TrackedRule;
  /** The weights by the class whose pods carry the term. */
  readonly owners: ReadonlyMap<PodClass, PodPreferenceWeights>;
}

interface PodPreferenceWeights {
  readonly preferred: number;
  readonly required: number;
}

/**
 * The weight that required affinity terms of running pods have in scores.
 *
 * @see kube-scheduler, `hardPodAffinityWeight`: 1 by default
 */
const REQUIRED_WEIGHT = 1;

/** Lists the terms of all classes, each once, with the classes that carry it. */
export function listPodPreferences(
  problem: Problem,
  classes: readonly PodClass[],
  trackRule: TrackRule,
): PodPreference[] {
  const preferences = new Map<string, { counted: TrackedRule; owners: Map<PodClass, PodPreferenceWeights> }>();
  for (const cls of classes) {
    const { spec } = cls;
    const add = (
      kind: 'affinity' | 'anti-affinity',
      term: (typeof spec.podAffinity)[number],
      preferred: number,
      required: number,
    ) => {
      const rule = createAffinityRule(kind, term, cls, problem.snapshot.namespaces);
      const id = `preferred ${rule.id}`;
      const preference = getOrCreate(preferences, id, () => ({
        counted: trackRule({ ...rule, id }, countRunningPods(rule, problem).counts, new Map()),
        owners: new Map<PodClass, PodPreferenceWeights>(),
      }));
      const existing = preference.owners.get(cls) ?? { preferred: 0, required: 0 };
      preference.owners.set(cls, {
        preferred: existing.preferred + preferred,
        required: existing.required + required,
      });
    };
    for (const { weight, term } of spec.preferredPodAffinity) add('affinity', term, weight, 0);
    for (const { weight, term } of spec.preferredPodAntiAffinity) add('anti-affinity', term, -weight, 0);
    for (const term of spec.podAffinity) add('affinity', term, 0, REQUIRED_WEIGHT);
  }
  return [...preferences.values()];
}

/** Lists the weights that apply to pods of the class: those of its own terms and of terms that select it. */
export function listAffinityWeights(cls: PodClass, preferences: readonly PodPreference[]): AffinityWeight[] {
  return preferences.flatMap(({ counted, owners }): AffinityWeight[] => {
    const ownWeight = owners.get(cls)?.preferred ?? 0;
    const weights: AffinityWeight[] = [];
    if (ownWeight !== 0) weights.push({ counted, weight: ownWeight, countedPods: 'selected' });
    // For a class that requires the term itself, all allowed nodes score alike.
    if (isSelected(counted.rule, cls) && !owners.get(cls)?.required) {
      // Classes that carry the same rule seldom differ in weight, so that the first class
      // represents all.
      const [{ preferred, required } = { preferred: 0, required: 0 }] = owners.values();
      weights.push({ counted, weight: preferred + required, countedPods: 'owners' });
    }
    return weights;
  });
}
