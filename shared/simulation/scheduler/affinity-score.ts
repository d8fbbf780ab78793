import { getOrCreate } from '../../model/memo.ts';
import { ownValue } from '../../model/own-value.ts';
import type { PodAffinityTerm, Weighted } from '../../model/pods/pod.ts';
import type { SimPodClass } from '../control-plane/pod-store.ts';
import type { NodeLoad, NodeLoads } from './node-load.ts';
import { matchesTerm, type Namespaces } from './pod-affinity.ts';
import { addWeighted, MAX_SCORE, type ScorePlugin } from './score-plugin.ts';

const POD_AFFINITY_WEIGHT = 2;
/** kube-scheduler's `hardPodAffinityWeight`: the weight of required terms of running pods. */
const REQUIRED_TERM_WEIGHT = 1;

/** A pod adds the weight to the score of its domain. */
interface Attraction {
  readonly key: string;
  readonly weight: number;
}

/**
 * Scores nodes by the preferred terms of the class and by the terms of pods that run, as the plugin
 * InterPodAffinity does.
 *
 * @returns `undefined` if no term applies
 * @see kube-scheduler 1.36, pkg/scheduler/framework/plugins/interpodaffinity/scoring.go
 */
export function createAffinityScore(
  podClass: SimPodClass,
  namespaces: Namespaces,
  loads: NodeLoads,
): ScorePlugin | undefined {
  const ownAttractions = listAttractions(podClass, podClass, namespaces);
  const others = [...loads.classes()]
    .map((other) => ({ other, attractions: listAttractions(podClass, other, namespaces) }))
    .filter(({ attractions }) => attractions.length > 0);
  if (ownAttractions.length === 0 && others.length === 0) return undefined;

  const sumsByKey = new Map<string, Map<string, number>>();
  const attract = ({ node }: NodeLoad, attractions: readonly Attraction[], pods: number): void => {
    for (const { key, weight } of attractions) {
      const domain = ownValue(node.labels, key);
      if (domain === undefined) continue;
      const sums = getOrCreate(sumsByKey, key, () => new Map<string, number>());
      sums.set(domain, (sums.get(domain) ?? 0) + weight * pods);
    }
  };
  for (const { other, attractions } of others) {
    for (const [load, { all }] of loads.countsOf(other)) attract(load, attractions, all);
  }

  return {
    addScores(sums, feasible) {
      const attraction = new Float64Array(feasible.length);
      for (const [key, byDomain] of sumsByKey) {
        for (const [index, { node }] of feasible.entries()) {
          const domain = ownValue(node.labels, key) ?? '';
          attraction[index] = (attraction[index] ?? 0) + (byDomain.get(domain) ?? 0);
        }
      }
      addWeighted(sums, POD_AFFINITY_WEIGHT, toRange(attraction));
    },
    add: (load) => attract(load, ownAttractions, 1),
  };
}

/** Lists what a bound pod of `bound` adds to the score of its domains for the next pod of `podClass`. */
function listAttractions(podClass: SimPodClass, bound: SimPodClass, namespaces: Namespaces): readonly Attraction[] {
  const list = (owner: SimPodClass, target: SimPodClass): readonly Attraction[] =>
    listPreferredTerms(owner)
      .filter(({ term }) => matchesTerm(term, owner, namespaces)(target))
      .map(({ weight, term }) => ({ key: term.key, weight }));
  const required = bound.spec.podAffinity
    .filter((term) => matchesTerm(term, bound, namespaces)(podClass))
    .map(({ key }) => ({ key, weight: REQUIRED_TERM_WEIGHT }));
  return [...list(podClass, bound), ...list(bound, podClass), ...required];
}

const listPreferredTerms = ({
  spec: { preferredPodAffinity, preferredPodAntiAffinity },
}: SimPodClass): readonly Weighted<PodAffinityTerm>[] =>
  preferredPodAntiAffinity.length === 0
    ? preferredPodAffinity
    : [...preferredPodAffinity, ...preferredPodAntiAffinity.map(({ weight, term }) => ({ weight: -weight, term }))];

/** The least attractive node scores 0, the most attractive one 100. */
function toRange(attraction: Float64Array): Float64Array {
  const min = attraction.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const max = attraction.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return attraction.map((sum) => (max === min ? 0 : Math.floor((MAX_SCORE * (sum - min)) / (max - min))));
}
