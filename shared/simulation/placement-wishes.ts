import { HOSTNAME_LABEL, ZONE_LABEL } from '../model/labels.ts';
import type { PodAffinityTerm, TopologySpreadConstraint, Weighted } from '../model/pod.ts';
import type { NodeLoad, NodeLoads } from './node-load.ts';
import type { Namespaces } from './pod-affinity.ts';
import { meetsTerm } from './pod-affinity.ts';
import type { PodClass } from './pod-store.ts';
import { addCounts, classesMatching, selectorOf } from './topology-spread.ts';

/** What kube-scheduler spreads by when a pod says nothing: hosts first, zones next. */
const DEFAULT_KEYS = [HOSTNAME_LABEL, ZONE_LABEL];

/** How kube-scheduler weighs spread and pod affinity against scores of 0 to 100. */
const SCORE_WEIGHT = 2;

/** Something that a class of pods would rather have, and what a node lacks of it. */
export interface PlacementWish {
  /** In points: 0 is as good as it gets. */
  penalty(load: NodeLoad): number;
  /** A pod of the class went to this node. */
  add(load: NodeLoad): void;
}

export function placementWishes(
  podClass: PodClass,
  namespaces: Namespaces,
  loads: NodeLoads,
): readonly PlacementWish[] {
  const { preferredPodAffinity, preferredPodAntiAffinity } = podClass.spec;
  const spread = wishedSpread(podClass);
  const crowds = (term: Weighted<PodAffinityTerm>) => {
    const meets = meetsTerm(term.term, podClass, namespaces);
    return countCrowd(podClass, term.term.key, meets, loads);
  };
  return [
    ...spread.map((constraint) => {
      const matches = selectorOf(constraint, podClass);
      const crowd = countCrowd(podClass, constraint.key, matches, loads);
      return apartFrom(crowd, 100 / spread.length);
    }),
    ...preferredPodAntiAffinity.map((term) => apartFrom(crowds(term), term.weight)),
    ...preferredPodAffinity.map((term) => togetherWith(crowds(term), term.weight)),
  ];
}

function wishedSpread(podClass: PodClass): readonly TopologySpreadConstraint[] {
  const { topologySpread } = podClass.spec;
  return topologySpread.length > 0
    ? topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
    : DEFAULT_KEYS.map((key) => defaultConstraint(key, podClass));
}

const defaultConstraint = (key: string, { labels }: PodClass): TopologySpreadConstraint => ({
  key,
  maxSkew: 1,
  whenUnsatisfiable: 'ScheduleAnyway',
  selector: { matchLabels: labels, matchExpressions: [] },
  matchLabelKeys: [],
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
});

interface Crowd {
  /** Pods in the node's domain over the most in any; 0 outside all domains. */
  share(load: NodeLoad): number;
  add(load: NodeLoad): void;
}

function countCrowd(
  podClass: PodClass,
  key: string,
  matches: (podClass: PodClass) => boolean,
  loads: NodeLoads,
): Crowd {
  const counts = new Map<string, number>();
  addCounts(counts, key, undefined, classesMatching(loads, matches), loads);
  const self = matches(podClass) ? 1 : 0;
  let most = Math.max(1, ...counts.values());

  return {
    share: ({ node }) => (counts.get(node.labels[key] ?? '') ?? 0) / most,
    add({ node }) {
      const domain = node.labels[key];
      if (self === 0 || domain === undefined) return;
      const count = (counts.get(domain) ?? 0) + 1;
      counts.set(domain, count);
      most = Math.max(most, count);
    },
  };
}

const apartFrom = ({ share, add }: Crowd, weight: number): PlacementWish => ({
  penalty: (load) => SCORE_WEIGHT * weight * share(load),
  add,
});

const togetherWith = ({ share, add }: Crowd, weight: number): PlacementWish => ({
  penalty: (load) => SCORE_WEIGHT * weight * (1 - share(load)),
  add,
});
