import { getOrCreate } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import { ownValue } from '../../model/own-value.ts';
import type { TopologySpreadConstraint } from '../../model/pods/pod.ts';
import { CPU, MEMORY } from '../../model/resources.ts';
import type { SimPodClass } from '../control-plane/pod-store.ts';
import { createNodeFit, createNodePreference, type NodeFit } from './node-fit.ts';
import { areHostPortsFree, hasFreeResources, type NodeLoad, type NodeLoads } from './node-load.ts';
import { createAffinityRules, type Namespaces } from './pod-affinity.ts';
import { createPlacementScorers, type PlacementScorer } from './spread-scores.ts';
import { createSpreadFilter } from './topology-spread.ts';
import type { VolumeFilter } from './volume-topology.ts';

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

interface ClassFilters {
  readonly fit: NodeFit;
  readonly canAttachVolumes: (node: Node) => boolean;
  readonly preference: (node: Node) => number;
  /** Nodes of `listedNodes` whose labels and taints suit the class. */
  eligibleNodes: readonly NodeLoad[];
  listedNodes: readonly NodeLoad[];
}

export function createNodeFinder(
  namespaces: Namespaces,
  loads: NodeLoads,
  volumeFilter: VolumeFilter,
): NodeFinder {
  const filtersByClass = new WeakMap<SimPodClass, ClassFilters>();

  function findFilters(podClass: SimPodClass): ClassFilters {
    const filters = getOrCreate(filtersByClass, podClass, () =>
      createClassFilters(podClass, volumeFilter(podClass)),
    );
    if (filters.listedNodes !== loads.list()) {
      filters.listedNodes = loads.list();
      filters.eligibleNodes = filters.listedNodes.filter((load) => passesFilters(filters, load));
    }
    return filters;
  }

  return {
    pickerFor(podClass, only) {
      const filters = findFilters(podClass);
      const candidates = only
        ? [only].filter((load) => passesFilters(filters, load))
        : filters.eligibleNodes;
      return createNodePicker(podClass, filters, namespaces, loads, candidates);
    },
  };
}

const createClassFilters = (
  { spec }: SimPodClass,
  canAttachVolumes: ClassFilters['canAttachVolumes'],
): ClassFilters => ({
  fit: createNodeFit(spec),
  canAttachVolumes,
  preference: createNodePreference(spec),
  eligibleNodes: [],
  listedNodes: [],
});

const passesFilters = ({ fit, canAttachVolumes }: ClassFilters, { node }: NodeLoad): boolean =>
  fit.tolerates(node) && fit.matchesAffinity(node) && canAttachVolumes(node);

function createNodePicker(
  podClass: SimPodClass,
  { fit, preference }: ClassFilters,
  namespaces: Namespaces,
  loads: NodeLoads,
  candidates: readonly NodeLoad[],
): NodePicker {
  const { requests, hostPorts, topologySpread } = podClass.spec;
  const required = topologySpread.filter(isRequired);
  const hardRules = [
    ...required.map((constraint) => createSpreadFilter(podClass, fit, constraint, required, loads)),
    ...createAffinityRules(podClass, namespaces, loads),
  ];
  const scorers = createPlacementScorers(podClass, namespaces, loads);
  const fits = (load: NodeLoad): boolean =>
    hasFreeResources(load, requests) &&
    areHostPortsFree(load, hostPorts) &&
    hardRules.every((rule) => rule.allows(load));

  return {
    next() {
      const best = findBestNode(candidates, fits, (load) => scoreNode(load, preference, scorers));
      if (!best) return undefined;
      for (const counter of [...hardRules, ...scorers]) counter.add(best);
      return best.node.name;
    },
  };
}

const isRequired = ({ whenUnsatisfiable }: TopologySpreadConstraint): boolean =>
  whenUnsatisfiable === 'DoNotSchedule';

/** Ties go to the older node, so that equal clusters schedule equally. */
function findBestNode(
  loads: readonly NodeLoad[],
  fits: (load: NodeLoad) => boolean,
  score: (load: NodeLoad) => number,
): NodeLoad | undefined {
  let best: NodeLoad | undefined;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const load of loads) {
    if (!fits(load)) continue;
    const candidate = score(load);
    if (candidate > bestScore) [best, bestScore] = [load, candidate];
  }
  return best;
}

/** Higher is better: emptier nodes, and nodes that meet preferences. */
function scoreNode(
  load: NodeLoad,
  preference: (node: Node) => number,
  scorers: readonly PlacementScorer[],
): number {
  let score = scoreLeastAllocated(load) + preference(load.node);
  for (const scorer of scorers) score -= scorer.penalty(load);
  return score;
}

/** 100 for an empty node, 0 for a full one. */
const scoreLeastAllocated = ({ node, used }: NodeLoad): number =>
  50 * (computeFreeShare(node, used, CPU) + computeFreeShare(node, used, MEMORY));

const computeFreeShare = (
  node: Node,
  used: Readonly<Record<string, number>>,
  name: string,
): number => {
  const allocatable = ownValue(node.allocatable, name) ?? 0;
  return allocatable === 0 ? 0 : 1 - (ownValue(used, name) ?? 0) / allocatable;
};
