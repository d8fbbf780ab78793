import type { Node } from '../model/node.ts';
import type { TopologySpreadConstraint } from '../model/pod.ts';
import { createNodeFit, createNodePreference, type NodeFit } from './node-fit.ts';
import { hasRoom, type NodeLoad, type NodeLoads, portsAreFree } from './node-load.ts';
import { type PlacementWish, placementWishes } from './placement-wishes.ts';
import { affinityRules, type Namespaces } from './pod-affinity.ts';
import type { PodClass } from './pod-store.ts';
import { createSpreadLimit } from './topology-spread.ts';
import type { VolumeReach } from './volume-reach.ts';
import { CPU, MEMORY } from '../model/resources.ts';

export interface Places {
  /** The best node for one more pod; the caller binds it there before it asks again. */
  next(): string | undefined;
}

/** What is equal for all pods of a class is found out once. */
interface PlaceFinder {
  /** @param only - absent: any node may be chosen */
  placesFor(podClass: PodClass, only?: NodeLoad): Places;
}

interface ClassReading {
  readonly fit: NodeFit;
  readonly reachesVolumes: (node: Node) => boolean;
  readonly preference: (node: Node) => number;
  /** Nodes whose labels and taints suit the class, as of the list of nodes `among`. */
  suitable: readonly NodeLoad[];
  among: readonly NodeLoad[];
}

export function createPlaceFinder(
  namespaces: Namespaces,
  loads: NodeLoads,
  reach: VolumeReach,
): PlaceFinder {
  const readings = new WeakMap<PodClass, ClassReading>();

  function readingOf(podClass: PodClass): ClassReading {
    const reading = readings.get(podClass) ?? readClass(podClass, reach(podClass));
    readings.set(podClass, reading);
    if (reading.among !== loads.list()) {
      reading.among = loads.list();
      reading.suitable = reading.among.filter((load) => suits(reading, load));
    }
    return reading;
  }

  return {
    placesFor(podClass, only) {
      const reading = readingOf(podClass);
      const candidates = only ? [only].filter((load) => suits(reading, load)) : reading.suitable;
      return findPlaces(podClass, reading, namespaces, loads, candidates);
    },
  };
}

const readClass = (
  { spec }: PodClass,
  reachesVolumes: ClassReading['reachesVolumes'],
): ClassReading => ({
  fit: createNodeFit(spec),
  reachesVolumes,
  preference: createNodePreference(spec),
  suitable: [],
  among: [],
});

const suits = ({ fit, reachesVolumes }: ClassReading, { node }: NodeLoad): boolean =>
  fit.tolerates(node) && fit.matchesAffinity(node) && reachesVolumes(node);

function findPlaces(
  podClass: PodClass,
  { fit, preference }: ClassReading,
  namespaces: Namespaces,
  loads: NodeLoads,
  candidates: readonly NodeLoad[],
): Places {
  const { requests, hostPorts, topologySpread } = podClass.spec;
  const required = topologySpread.filter(isRequired);
  const limits = [
    ...required.map((constraint) => createSpreadLimit(podClass, fit, constraint, required, loads)),
    ...affinityRules(podClass, namespaces, loads),
  ];
  const wishes = placementWishes(podClass, namespaces, loads);
  const isFree = (load: NodeLoad): boolean =>
    hasRoom(load, requests) &&
    portsAreFree(load, hostPorts) &&
    limits.every((limit) => limit.allows(load));

  return {
    next() {
      const best = bestOf(candidates, isFree, (load) => scoreOf(load, preference, wishes));
      if (!best) return undefined;
      for (const counter of [...limits, ...wishes]) counter.add(best);
      return best.node.name;
    },
  };
}

const isRequired = ({ whenUnsatisfiable }: TopologySpreadConstraint): boolean =>
  whenUnsatisfiable === 'DoNotSchedule';

/** Ties go to the older node, so that equal clusters schedule equally. */
function bestOf(
  loads: readonly NodeLoad[],
  isFree: (load: NodeLoad) => boolean,
  score: (load: NodeLoad) => number,
): NodeLoad | undefined {
  let best: NodeLoad | undefined;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const load of loads) {
    if (!isFree(load)) continue;
    const candidate = score(load);
    if (candidate > bestScore) [best, bestScore] = [load, candidate];
  }
  return best;
}

/** The higher the better: the emptier node, the one that was wished for. */
function scoreOf(
  load: NodeLoad,
  preference: (node: Node) => number,
  wishes: readonly PlacementWish[],
): number {
  let score = leastAllocated(load) + preference(load.node);
  for (const wish of wishes) score -= wish.penalty(load);
  return score;
}

/** 100 for an empty node, 0 for a full one. */
const leastAllocated = ({ node, used }: NodeLoad): number =>
  50 * (freeShare(node, used, CPU) + freeShare(node, used, MEMORY));

const freeShare = (node: Node, used: Readonly<Record<string, number>>, name: string): number => {
  const allocatable = node.allocatable[name] ?? 0;
  return allocatable === 0 ? 0 : 1 - (used[name] ?? 0) / allocatable;
};
