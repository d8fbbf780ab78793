import { ZONE_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import { countNodesToFind, interleaveZones } from '../../model/nodes/node-search.ts';
import { ownValue } from '../../model/own-value.ts';
import type { PodAffinityTerm, TopologySpreadConstraint, Weighted } from '../../model/pods/pod.ts';
import type { Storage } from '../../model/pods/storage.ts';
import type { SimPodClass } from '../control-plane/pod-store.ts';
import type { StorageStore } from '../control-plane/storage-store.ts';
import { createNodeFit, type NodeFit } from './node-fit.ts';
import { areHostPortsFree, hasFreeResources, type NodeLoad, type NodeLoads } from './node-load.ts';
import { createNodeScores } from './node-scores.ts';
import { createAffinityRules, matchesTerm, type Namespaces } from './pod-affinity.ts';
import { addWeighted, MAX_SCORE, type ScorePlugin } from './score-plugin.ts';
import { createSpreadScore } from './spread-score.ts';
import { createSpreadFilter } from './topology-spread.ts';
import { createVolumeFilter } from './volume-topology.ts';

export interface NodePicker {
  /**
   * The best node for one more pod, or `undefined`. The caller binds the pod before the next call.
   */
  next(): string | undefined;
}

/** Finds nodes for pods; what all pods of a class share is computed once. */
interface NodeFinder {
  /**
   * @param only - restricts the choice to one node
   */
  pickerFor(podClass: SimPodClass, only?: NodeLoad): NodePicker;
}

/** The search for the nodes that are compared for a pod, as kube-scheduler does it. */
interface NodeSearch {
  /** All nodes in the order of the search. The same array until a Node changes. */
  list(): readonly NodeLoad[];
  /** Finds the first of the candidates that fit, from the node on where the search for the pod before ended. */
  find(candidates: readonly NodeLoad[], fits: (load: NodeLoad) => boolean): readonly NodeLoad[];
}

interface ClassFilters {
  readonly fit: NodeFit;
  readonly canAttachVolumes: (node: Node) => boolean;
  /** The scores that depend on the nodes and the class alone. */
  readonly nodeScores: readonly ScorePlugin[];
  /** Nodes of `listedNodes` whose labels and taints suit the class. */
  eligibleNodes: readonly NodeLoad[];
  listedNodes: readonly NodeLoad[];
  /** The storage that `eligibleNodes` were computed with; `undefined` without volumes. */
  volumes: Storage | undefined;
}

export function createNodeFinder(namespaces: Namespaces, loads: NodeLoads, storage: StorageStore): NodeFinder {
  const filtersByClass = new WeakMap<SimPodClass, ClassFilters>();
  const search = createNodeSearch(loads);
  const volumeFilter = createVolumeFilter(storage);

  function findFilters(podClass: SimPodClass): ClassFilters {
    const filters = getOrCreate(filtersByClass, podClass, () => createClassFilters(podClass, volumeFilter(podClass)));
    const volumes = podClass.spec.volumeClaims.length > 0 ? storage.current() : undefined;
    if (filters.listedNodes !== search.list() || filters.volumes !== volumes) {
      filters.listedNodes = search.list();
      filters.volumes = volumes;
      filters.eligibleNodes = filters.listedNodes.filter((load) => passesFilters(filters, load));
    }
    return filters;
  }

  return {
    pickerFor(podClass, only) {
      const filters = findFilters(podClass);
      const candidates = only ? [only].filter((load) => passesFilters(filters, load)) : filters.eligibleNodes;
      return createNodePicker(podClass, filters, namespaces, loads, (fits) => search.find(candidates, fits));
    },
  };
}

function createNodeSearch(loads: NodeLoads): NodeSearch {
  let listed: readonly NodeLoad[] = [];
  let ordered: readonly NodeLoad[] = [];
  let ranks = new Map<NodeLoad, number>();
  let nextRank = 0;
  const rankOf = (load: NodeLoad): number => ranks.get(load) ?? 0;

  return {
    list() {
      if (listed !== loads.list()) {
        listed = loads.list();
        ordered = interleaveZones(listed, ({ node }) => ownValue(node.labels, ZONE_LABEL));
        ranks = new Map(ordered.map((load, rank) => [load, rank]));
      }
      return ordered;
    },
    find(candidates, fits) {
      const nodesToFind = countNodesToFind(ordered.length);
      if (candidates.length <= nodesToFind) return candidates.filter(fits);
      const first = Math.max(
        0,
        candidates.findIndex((load) => rankOf(load) >= nextRank),
      );
      const feasible: NodeLoad[] = [];
      for (const load of [...candidates.slice(first), ...candidates.slice(0, first)]) {
        if (!fits(load)) continue;
        feasible.push(load);
        if (feasible.length < nodesToFind) continue;
        nextRank = (rankOf(load) + 1) % ordered.length;
        break;
      }
      return feasible;
    },
  };
}

const createClassFilters = (
  { spec }: SimPodClass,
  canAttachVolumes: ClassFilters['canAttachVolumes'],
): ClassFilters => ({
  fit: createNodeFit(spec),
  canAttachVolumes,
  nodeScores: createNodeScores(spec),
  eligibleNodes: [],
  listedNodes: [],
  volumes: undefined,
});

const passesFilters = ({ fit, canAttachVolumes }: ClassFilters, { node }: NodeLoad): boolean =>
  fit.tolerates(node) && fit.matchesAffinity(node) && canAttachVolumes(node);

function createNodePicker(
  podClass: SimPodClass,
  { fit, nodeScores }: ClassFilters,
  namespaces: Namespaces,
  loads: NodeLoads,
  findFeasible: (fits: (load: NodeLoad) => boolean) => readonly NodeLoad[],
): NodePicker {
  const { requests, hostPorts, topologySpread } = podClass.spec;
  const required = topologySpread.filter(isRequired);
  const hardRules = [
    ...required.map((constraint) => createSpreadFilter(podClass, fit, constraint, required, loads)),
    ...createAffinityRules(podClass, namespaces, loads),
  ];
  const plugins = [
    ...nodeScores,
    createSpreadScore(podClass, fit, loads),
    createAffinityScore(podClass, namespaces, loads),
  ].filter((plugin) => plugin !== undefined);
  const fits = (load: NodeLoad): boolean =>
    hasFreeResources(load, requests) &&
    areHostPortsFree(load, hostPorts) &&
    hardRules.every((rule) => rule.allows(load));

  return {
    next() {
      const best = findBestNode(findFeasible(fits), plugins);
      if (!best) return undefined;
      for (const counter of [...hardRules, ...plugins]) counter.add(best);
      return best.node.name;
    },
  };
}

const isRequired = ({ whenUnsatisfiable }: TopologySpreadConstraint): boolean => whenUnsatisfiable === 'DoNotSchedule';

/** Ties go to the node that is found first, so that equal clusters schedule equally. */
function findBestNode(feasible: readonly NodeLoad[], plugins: readonly ScorePlugin[]): NodeLoad | undefined {
  if (feasible.length <= 1) return feasible[0];
  const sums = new Float64Array(feasible.length);
  for (const plugin of plugins) plugin.addScores(sums, feasible);
  return feasible[sums.indexOf(sums.reduce((a, b) => Math.max(a, b)))];
}

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
function createAffinityScore(podClass: SimPodClass, namespaces: Namespaces, loads: NodeLoads): ScorePlugin | undefined {
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
