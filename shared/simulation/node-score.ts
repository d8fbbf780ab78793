import type { Node } from '../model/node.ts';
import { CPU, MEMORY } from '../model/resources.ts';
import type { NodeLoad } from './node-load.ts';
import type { PlacementWish } from './placement-wishes.ts';

/** The higher the better: the emptier node, the one that was wished for. */
export function scoreOf(
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
