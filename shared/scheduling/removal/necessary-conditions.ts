import type { Pod } from '../../model/pods/pod.ts';
import { overlaps } from '../data-structures/bitset.ts';
import { addTimes, hasRoom, listRequestedColumns, toVector } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import { allowsSpot } from '../packing/new-nodes/cheaper-node.ts';
import { findCheapestPool } from '../packing/pool-choices.ts';
import { listOptions, listUndominatedTypes } from '../packing/pool-prices.ts';

// Cheap conditions that every removal must meet. Most removals are rejected by them.

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
  const options = pods[0] ? listOptions(pods[0].spec, problem) : [];
  // Several pools may have the same types: they share a list.
  for (const types of new Set(options.map((option) => listUndominatedTypes(option, problem)))) {
    for (const { type, hourlyUsd, allocatable } of types) {
      if (hourlyUsd >= cheapest.hourlyUsd) break;
      if (!hasRoom(allocatable, total, requestedColumns)) continue;
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
export function computeReplacementUsdByPool(pods: readonly PodWithSpec[], problem: Problem): number {
  const byPool = Map.groupBy(pods, ({ spec }) => findCheapestPool(spec, problem));
  if (byPool.size < 2) return Infinity;
  return [...byPool.values()].reduce((sum, own) => sum + findCheapestReplacement(own, 0, problem).hourlyUsd, 0);
}

/**
 * True if every node that the pools could launch for the pods may be a spot instance, and no commitment
 * pays for one.
 */
export const canOnlyRunOnSpot = (pods: readonly Pod[], problem: Problem): boolean => {
  const committed = problem.reservations?.committed ?? problem.typeIndex.none;
  return pods.every((pod) =>
    listOptions(pod.spec, problem).every((option) => allowsSpot(option) && !overlaps(option.types, committed)),
  );
};
