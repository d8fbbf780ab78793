import type { PodGroup, PoolOption } from '../../assignment/pod-groups.ts';
import { at } from '../../data-structures/resource-vectors.ts';
import { discardNewNode, openNewNode, type PackingState } from '../new-nodes/packing-state.ts';
import { placePods } from '../new-nodes/place-pods.ts';

/**
 * Karpenter's construction by class instead of by pod: largest pods first, onto an open node while
 * any type holds all of its pods, else onto a new node of the heaviest pool. Nodes grow towards
 * large types.
 */
export function packFirstFit(state: PackingState, podGroups: readonly PodGroup[]): void {
  for (const podGroup of podGroups.toSorted(compareBySize)) {
    fillOpenNodes(state, podGroup);
    // An open node that refused a pod refuses it again: nodes only fill up.
    while (podGroup.count > 0 && openAndFill(state, podGroup));
  }
}

export const compareBySize = (a: PodGroup, b: PodGroup): number =>
  at(b.request, 0) - at(a.request, 0) || at(b.request, 1) - at(a.request, 1);

/** Fills open nodes, whatever the weight of their pools. */
export function fillOpenNodes(state: PackingState, podGroup: PodGroup): void {
  for (const newNode of state.newNodes) {
    if (podGroup.count === 0) return;
    placePods(state, newNode, podGroup);
  }
}

const openAndFill = (state: PackingState, podGroup: PodGroup): boolean =>
  podGroup.options.some((option) => openNodeWith(state, podGroup, option));

/**
 * Opens one node of the pool with as many pods as it takes.
 *
 * @returns false if it takes none
 */
export function openNodeWith(state: PackingState, podGroup: PodGroup, option: PoolOption): boolean {
  const newNode = openNewNode(state, option);
  if (!newNode) return false;
  if (placePods(state, newNode, podGroup) > 0) return true;
  discardNewNode(state, newNode);
  return false;
}
