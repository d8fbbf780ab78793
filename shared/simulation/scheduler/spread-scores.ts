import { HOSTNAME_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { ownValue } from '../../model/own-value.ts';
import type { PodAffinityTerm, TopologySpreadConstraint, Weighted } from '../../model/pods/pod.ts';
import type { SimPodClass } from '../control-plane/pod-store.ts';
import type { NodeLoad, NodeLoads } from './node-load.ts';
import type { Namespaces } from './pod-affinity.ts';
import { matchesTerm } from './pod-affinity.ts';
import { addPodCounts, createSpreadSelector, listMatchingClasses } from './topology-spread.ts';

/** kube-scheduler's default spreading for pods without constraints: hosts first, then zones. */
const DEFAULT_KEYS = [HOSTNAME_LABEL, ZONE_LABEL];

/** Weight of spread and pod affinity scores, which range from 0 to 100. */
const SCORE_WEIGHT = 2;

/** One scheduling preference of a class of pods. */
export interface PlacementScorer {
  /** Points that the node loses; 0 is best. */
  penalty(load: NodeLoad): number;
  /** Counts a pod of the class that was bound to the node. */
  add(load: NodeLoad): void;
}

export function createPlacementScorers(
  podClass: SimPodClass,
  namespaces: Namespaces,
  loads: NodeLoads,
): readonly PlacementScorer[] {
  const { preferredPodAffinity, preferredPodAntiAffinity } = podClass.spec;
  const spread = listSoftSpread(podClass);
  const countTerm = (term: Weighted<PodAffinityTerm>) => {
    const matches = matchesTerm(term.term, podClass, namespaces);
    return countDomains(podClass, term.term.key, matches, loads);
  };
  return [
    ...spread.map((constraint) => {
      const matches = createSpreadSelector(constraint, podClass);
      const shares = countDomains(podClass, constraint.key, matches, loads);
      return scoreSpreading(shares, 100 / spread.length);
    }),
    ...preferredPodAntiAffinity.map((term) => scoreSpreading(countTerm(term), term.weight)),
    ...preferredPodAffinity.map((term) => scoreCoLocation(countTerm(term), term.weight)),
  ];
}

function listSoftSpread(podClass: SimPodClass): readonly TopologySpreadConstraint[] {
  const { topologySpread } = podClass.spec;
  return topologySpread.length > 0
    ? topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
    : DEFAULT_KEYS.map((key) => defaultConstraint(key, podClass));
}

const defaultConstraint = (key: string, { labels }: SimPodClass): TopologySpreadConstraint => ({
  key,
  maxSkew: 1,
  whenUnsatisfiable: 'ScheduleAnyway',
  selector: { matchLabels: labels, matchExpressions: [] },
  matchLabelKeys: [],
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
});

interface DomainShares {
  /**
   * Pods in the node's domain divided by the highest count of any domain; 0 outside all domains.
   */
  share(load: NodeLoad): number;
  add(load: NodeLoad): void;
}

function countDomains(
  podClass: SimPodClass,
  key: string,
  matches: (podClass: SimPodClass) => boolean,
  loads: NodeLoads,
): DomainShares {
  const counts = new Map<string, number>();
  addPodCounts(counts, key, undefined, listMatchingClasses(loads, matches), loads);
  const selfCount = matches(podClass) ? 1 : 0;
  let maxCount = Math.max(1, ...counts.values());

  return {
    share: ({ node }) => (counts.get(ownValue(node.labels, key) ?? '') ?? 0) / maxCount,
    add({ node }) {
      const domain = ownValue(node.labels, key);
      if (selfCount === 0 || domain === undefined) return;
      const count = (counts.get(domain) ?? 0) + 1;
      counts.set(domain, count);
      maxCount = Math.max(maxCount, count);
    },
  };
}

const scoreSpreading = ({ share, add }: DomainShares, weight: number): PlacementScorer => ({
  penalty: (load) => SCORE_WEIGHT * weight * share(load),
  add,
});

const scoreCoLocation = ({ share, add }: DomainShares, weight: number): PlacementScorer => ({
  penalty: (load) => SCORE_WEIGHT * weight * (1 - share(load)),
  add,
});
