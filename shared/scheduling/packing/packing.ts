import { countPods, type PodGroup } from '../assignment/pod-groups.ts';
import type { PlacementProblem } from '../devices/device-tracker.ts';
import type { Problem } from '../input/problem.ts';
import { fillOpenNodes } from './constructions/first-fit.ts';
import { findCheapestType, type NewNode } from './new-nodes/new-node.ts';
import { createPackingState, type PackingState } from './new-nodes/packing-state.ts';
import { resolveLimits } from './new-nodes/resolve-limits.ts';
import { packReserved, type ReservedMode } from './pack-reserved.ts';

/** New nodes for the pod groups of a batch, found by one construction. */
export interface Packing {
  readonly packingState: PackingState;
  /** Pods without a node, by the construction's own copies of the pod groups. */
  readonly unplaced: ReadonlyMap<PodGroup, number>;
  /** Pods that wait for the next plan. */
  readonly deferred: ReadonlyMap<PodGroup, number>;
  /** Number of unplaced and deferred pods. */
  readonly unplacedPods: number;
  /** Price of the cheapest offerings, in USD per hour. */
  readonly hourlyUsd: number;
  /** The same with the cost of nodes besides their instance; packings are compared by it. */
  readonly costUsd: number;
}

export type Construction = (packingState: PackingState, podGroups: readonly PodGroup[]) => void;

/** The difference must exceed rounding errors. */
export const isCheaper = (usd: number, thanUsd: number): boolean => usd < thanUsd * (1 - 1e-9);

export function pack(
  problem: PlacementProblem,
  podGroups: readonly PodGroup[],
  construct: Construction,
  reserved: ReservedMode = 'fallback',
): Packing {
  const packingState = createPackingState(problem, countPods(podGroups));
  // Each construction counts pods down on its own copies.
  const own = podGroups.map((podGroup) => ({ ...podGroup }));
  const { podGroups: copies, deferred } = problem.reservations
    ? packReserved(packingState, own, problem.reservations, reserved)
    : { podGroups: own, deferred: new Map<PodGroup, number>() };
  construct(
    packingState,
    copies.filter(({ count }) => count > 0),
  );
  for (const podGroup of copies) fillOpenNodes(packingState, podGroup);
  resolveLimits(packingState);

  const unplaced = new Map(copies.filter(({ count }) => count > 0).map((podGroup) => [podGroup, podGroup.count]));
  const unplacedPods = [...unplaced.values(), ...deferred.values()].reduce((all, count) => all + count, 0);
  return { packingState, unplaced, deferred, unplacedPods, ...computeCost(packingState) };
}

export function computeCost({
  newNodes,
  problem,
}: {
  readonly newNodes: readonly NewNode[];
  readonly problem: Problem;
}): Pick<Packing, 'hourlyUsd' | 'costUsd'> {
  const hourlyUsd = newNodes.reduce((total, newNode) => total + findCheapestType(newNode, problem).hourlyUsd, 0);
  const nodesUsd = newNodes.reduce((total, { template }) => total + problem.nodeCosts(template.pool), 0);
  return { hourlyUsd, costUsd: hourlyUsd + nodesUsd };
}

/** Replaces the new nodes of a packing and computes its cost again. */
export const withPackingState = (packing: Packing, state: PackingState): Packing => ({
  ...packing,
  packingState: state,
  ...computeCost(state),
});
