import type { Problem } from '../../scheduling/input/problem.ts';
import { measureRoom } from '../../scheduling/removal/node-usage-and-price.ts';
import type { Candidate } from '../candidates.ts';

/**
 * Computes for the nodes of a NodePool, in USD per hour, what each of them costs more than the room that
 * its pods use is worth, divided by what has to leave: the pods and the node itself. Room is worth what
 * the pool pays for it on average. Unused nodes have a high waste, and so have small and expensive types; the
 * waste counts most where few pods have to end until the node is empty.
 */
export function computeWaste(nodes: readonly Candidate[], problem: Problem): ReadonlyMap<Candidate, number> {
  const rooms = new Map(nodes.map((node) => [node, measureRoom(node.existingNode, problem)]));
  const priceUsd = nodes.reduce((sum, { hourlyUsd }) => sum + hourlyUsd, 0);
  const room = [...rooms.values()].reduce((sum, { all }) => sum + all, 0);
  const usdPerRoom = room > 0 ? priceUsd / room : 0;
  return new Map(
    [...rooms].map(([node, { used }]) => [node, (node.hourlyUsd - usdPerRoom * used) / node.disruptionCost]),
  );
}
