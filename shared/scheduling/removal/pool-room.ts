import { isReschedulable } from '../../model/pods/disruption-pods.ts';
import { addTimes, at, toVector, type Vector } from '../data-structures/resource-vectors.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';

/** The free room of several nodes, and what pods of nodes that were taken away need of it. */
export interface PoolRoom {
  /**
   * Takes a node away. Sums count, not whether each pod fits.
   *
   * @returns true if the others have room for its pods, and for those of the nodes taken before
   */
  takeAway(node: ExistingNode): boolean;
}

/**
 * @param usableShare - the share of the room that pods may fill: 0 to 1
 */
export function createPoolRoom(nodes: readonly ExistingNode[], usableShare: number, { columns }: Problem): PoolRoom {
  const room = new Float64Array(columns.names.length);
  const needed = new Float64Array(columns.names.length);
  for (const node of nodes) addTimes(room, computeRoom(node), 1);
  return {
    takeAway(node) {
      addTimes(room, computeRoom(node), -1);
      for (const { spec } of node.pods.filter(isReschedulable)) addTimes(needed, toVector(columns, spec.requests), 1);
      return needed.every((amount, column) => amount <= 0 || amount <= at(room, column) * usableShare);
    },
  };
}

const computeRoom = ({ free }: ExistingNode): Vector => free.map((amount) => Math.max(0, amount));
