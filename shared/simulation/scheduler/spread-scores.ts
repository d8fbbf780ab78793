import { HOSTNAME_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import type { PodAffinityTerm, TopologySpreadConstraint, Weighted } from '../../model/pods/pod.ts';
import type { SimPodClass } from '../control-plane/pod-store.ts';
import type { NodeLoad, NodeLoads } from './node-load.ts';
import type { Namespaces } from './pod-affinity.ts';
import { matchesTerm } from './pod-affinity.ts';
import { addPodCounts, createSpreadSelector, listMatchingClasses } from './topology-spread.ts';

/** What kube-scheduler spreads by when a pod says nothing: hosts first, zones next. */
const DEFAULT_KEYS = [HOSTNAME_LABEL, ZONE_LABEL];

/** How kube-scheduler weighs spread and pod affinity against scores of 0 to 100. */
const SCORE_WEIGHT = 2;

/** Something that a class of pods would rather have, and what a node lacks of it. */
export interface PlacementScorer {
  /** In points: 0 is as good as it gets. */
  penalty(load: NodeLoad): number;
  /** A pod of the class went to this node. */
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
  /** Pods in the node's domain over the most in any; 0 outside all domains. */
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
    share: ({ node }) => (counts.get(node.labels[key] ?? '') ?? 0) / maxCount,
    add({ node }) {
      const domain = node.labels[key];
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
