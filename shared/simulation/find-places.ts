import type { Node } from '../model/node.ts';
import type { PodSpec } from '../model/pod.ts';
import type { NodeFit } from './node-fit.ts';
import { createNodeFit, createNodePreference } from './node-fit.ts';
import type { NodeLoad } from './node-load.ts';
import { hasRoom, portsAreFree } from './node-load.ts';
import { scoreOf, softSpread } from './node-score.ts';
import type { Namespaces } from './pod-affinity.ts';
import { createAffinityRules } from './pod-affinity.ts';
import type { PodClass } from './pod-class.ts';
import { createSpreadCounter } from './topology-spread.ts';

export interface Places {
  /** The best node for one more pod; the caller binds it there before it asks again. */
  next(): string | undefined;
}

/** What is equal for all pods of a class is found out once. */
export interface PlaceFinder {
  /**
   * @param all - every node: spread and affinity look at all of them
   * @param candidates - the nodes that may be chosen
   */
  placesFor(podClass: PodClass, all: readonly NodeLoad[], candidates: readonly NodeLoad[]): Places;
}

export function createPlaceFinder(namespaces: Namespaces): PlaceFinder {
  const readings = new WeakMap<PodSpec, SpecReading>();

  function readingOf(spec: PodSpec): SpecReading {
    const known = readings.get(spec);
    if (known) return known;
    const reading = { fit: createNodeFit(spec), preference: createNodePreference(spec) };
    readings.set(spec, reading);
    return reading;
  }

  return {
    placesFor: (podClass, all, candidates) =>
      findPlaces(podClass, readingOf(podClass.spec), namespaces, all, candidates),
  };
}

interface SpecReading {
  readonly fit: NodeFit;
  readonly preference: (node: Node) => number;
}

function findPlaces(
  podClass: PodClass,
  { fit, preference }: SpecReading,
  namespaces: Namespaces,
  all: readonly NodeLoad[],
  candidates: readonly NodeLoad[],
): Places {
  const { spec } = podClass;
  const required = spec.topologySpread.filter(isRequired);
  const spread = required.map((constraint) =>
    createSpreadCounter(podClass, fit, constraint, required, all),
  );
  const soft = softSpread(podClass, fit, all);
  const affinity = createAffinityRules(podClass, namespaces, all);
  const suitable = candidates.filter(
    ({ node }) => fit.tolerates(node) && fit.matchesAffinity(node),
  );

  const isFree = (load: NodeLoad): boolean =>
    hasRoom(load, spec.requests) &&
    portsAreFree(load, spec.hostPorts) &&
    spread.every((counter) => counter.allows(load)) &&
    (affinity?.allows(load) ?? true);

  return {
    next() {
      const best = bestOf(suitable, isFree, (load) => scoreOf(load, preference, soft));
      if (!best) return undefined;
      for (const counter of [...spread, ...soft, ...(affinity ? [affinity] : [])])
        counter.add(best);
      return best.node.name;
    },
  };
}

const isRequired = ({ whenUnsatisfiable }: { whenUnsatisfiable: string }): boolean =>
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
