import { countPods, type PodGroup } from '../assignment/pod-groups.ts';
import type { PlacementProblem } from '../devices/device-tracker.ts';
import type { Problem } from '../input/problem.ts';
import { fillOpenNodes } from './constructions/first-fit.ts';
import { findCheapestType, type NewNode } from './new-nodes/new-node.ts';
import { createPackingState, type PackingState } from './new-nodes/packing-state.ts';
import { resolveLimits } from './new-nodes/resolve-limits.ts';
import { packReserved, type ReservedMode } from './pack-reserved.ts';

/** Nodes for a batch's units, found by one construction. */
export interface Packing {
  readonly packingState: PackingState;
  /** Pods that found no node, on the construction's own copies of the units. */
  readonly unplaced: ReadonlyMap<PodGroup, number>;
  /** Pods that wait for the next plan. */
  readonly deferred: ReadonlyMap<PodGroup, number>;
  /** How many both are. */
  readonly unplacedPods: number;
  /** Of the cheapest offerings, in USD per hour. */
  readonly hourlyUsd: number;
  /** The same with what nodes cost beside their instance: what packings are compared by. */
  readonly costUsd: number;
}

export type Construction = (packingState: PackingState, podGroups: readonly PodGroup[]) => void;

/** By more than what rounding makes. */
export const isCheaper = (usd: number, thanUsd: number): boolean => usd < thanUsd * (1 - 1e-9);

export function pack(
  problem: PlacementProblem,
  podGroups: readonly PodGroup[],
  construct: Construction,
  reserved: ReservedMode = 'fallback',
): Packing {
  const packingState = createPackingState(problem, countPods(podGroups));
  // Constructions count pods down, each on its own copy.
  const { podGroups: copies, deferred } = packReserved(
    packingState,
    podGroups.map((podGroup) => ({ ...podGroup })),
    reserved,
  );
  construct(
    packingState,
    copies.filter(({ count }) => count > 0),
  );
  for (const podGroup of copies) fillOpenNodes(packingState, podGroup);
  resolveLimits(packingState);

  const unplaced = new Map(
    copies.filter(({ count }) => count > 0).map((podGroup) => [podGroup, podGroup.count]),
  );
  const unplacedPods = [...unplaced.values(), ...deferred.values()].reduce(
    (all, count) => all + count,
    0,
  );
  return { packingState, unplaced, deferred, unplacedPods, ...computeCost(packingState) };
}

export function computeCost({
  newNodes,
  problem,
}: {
  readonly newNodes: readonly NewNode[];
  readonly problem: Problem;
}): Pick<Packing, 'hourlyUsd' | 'costUsd'> {
  const hourlyUsd = newNodes.reduce(
    (total, newNode) => total + findCheapestType(newNode, problem).hourlyUsd,
    0,
  );
  return { hourlyUsd, costUsd: hourlyUsd + newNodes.length * problem.perNodeUsd };
}

/** The packing with other new nodes, and its cost computed again. */
export const withPackingState = (packing: Packing, state: PackingState): Packing => ({
  ...packing,
  packingState: state,
  ...computeCost(state),
});
