import type { Pod, PodSpec } from '../../model/pods/pod.ts';
import { hasBit, overlaps } from '../data-structures/bitset.ts';
import {
  addTimes,
  countFits,
  hasRoom,
  listRequestedColumns,
  toVector,
} from '../data-structures/resource-vectors.ts';
import { admits, type ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import { allowsSpot } from '../packing/new-nodes/cheaper-node.ts';
import { findCheapestPool, listOptions, listTypesByPrice } from '../packing/pool-prices.ts';
import { findExcess } from '../pods/pod-complexity.ts';
import { listFullyRelaxed } from '../pods/relaxations.ts';

// Cheap conditions that every removal must meet. Most removals are rejected by them.

/** The number of pods of one kind that nodes have free resources for. */
export interface NodeRoom {
  readonly total: number;
  readonly byNode: ReadonlyMap<string, number>;
}

export function countRoom(
  spec: PodSpec,
  receivers: readonly ExistingNode[],
  { columns }: Problem,
): NodeRoom {
  const request = toVector(columns, spec.requests);
  const relaxations = findExcess(spec) ? [] : listFullyRelaxed(spec);
  const byNode = new Map<string, number>();
  let total = 0;
  for (const node of receivers) {
    const pods = countFits(request, node.free);
    if (pods === 0 || !relaxations.some((relaxation) => admits(node, relaxation))) continue;
    byNode.set(node.name, pods);
    total += pods;
  }
  return { total, byNode };
}

type PodWithSpec = Pick<Pod, 'spec'>;

/**
 * Finds the cheapest node with room for all of `pods` that the first of them may run on, ignoring
 * their other rules: no replacement can cost less.
 *
 * @param enoughUsd - the search ends at the first pool that has a node for less
 * @returns a price of `Infinity` if there is no such node
 */
export function findCheapestReplacement(
  pods: readonly PodWithSpec[],
  enoughUsd: number,
  problem: Problem,
): { readonly type: string; readonly hourlyUsd: number } {
  const total = new Float64Array(problem.columns.names.length);
  for (const { spec } of pods) addTimes(total, toVector(problem.columns, spec.requests), 1);
  const requestedColumns = listRequestedColumns(total);
  let cheapest = { type: '', hourlyUsd: Infinity };
  for (const { types, where } of pods[0] ? listOptions(pods[0].spec, problem) : []) {
    for (const { type, hourlyUsd, allocatable } of listTypesByPrice(where, problem)) {
      if (hourlyUsd >= cheapest.hourlyUsd) break;
      if (!hasRoom(allocatable, total, requestedColumns) || !hasBit(types, type)) continue;
      cheapest = { type: problem.typeIndex.types[type]?.name ?? '', hourlyUsd };
      break;
    }
    if (cheapest.hourlyUsd < enoughUsd) break;
  }
  return cheapest;
}

/**
 * The same for pods that may be replaced apart: one node in each of the pools that are cheapest for some
 * of them.
 */
export function computeReplacementUsdByPool(
  pods: readonly PodWithSpec[],
  problem: Problem,
): number {
  const byPool = Map.groupBy(pods, ({ spec }) => findCheapestPool(spec, problem));
  if (byPool.size < 2) return Infinity;
  return [...byPool.values()].reduce(
    (sum, own) => sum + findCheapestReplacement(own, 0, problem).hourlyUsd,
    0,
  );
}

/**
 * True if every node that the pools could launch for the pods may be a spot instance, and no commitment
 * pays for one.
 */
export const canOnlyRunOnSpot = (pods: readonly Pod[], problem: Problem): boolean => {
  const committed = problem.reservations?.committed ?? problem.typeIndex.none;
  return pods.every((pod) =>
    listOptions(pod.spec, problem).every(
      (option) => allowsSpot(option) && !overlaps(option.types, committed),
    ),
  );
};
