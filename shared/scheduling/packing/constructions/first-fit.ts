import type { PoolOption, PodGroup } from '../../assignment/pod-groups.ts';
import { at } from '../../data-structures/resource-vectors.ts';
import { placePods } from '../new-nodes/joining.ts';
import { type PackingState, discardNewNode, openNewNode } from '../new-nodes/packing-state.ts';

/**
 * Karpenter's construction, by class instead of by pod: biggest pods first, onto a draft while any
 * type can hold it all, else onto a new one of the heaviest pool. Drafts grow towards large nodes.
 */
export function packFirstFit(drafting: PackingState, units: readonly PodGroup[]): void {
  for (const unit of units.toSorted(biggestFirst)) {
    joinOpenDrafts(drafting, unit);
    // What was refused once is refused again: drafts only ever fill up.
    while (unit.count > 0 && openAndFill(drafting, unit));
  }
}

export const biggestFirst = (a: PodGroup, b: PodGroup): number =>
  at(b.request, 0) - at(a.request, 0) || at(b.request, 1) - at(a.request, 1);

/** Fills drafts that are open already; joining is allowed whatever the pool's weight. */
export function joinOpenDrafts(drafting: PackingState, unit: PodGroup): void {
  for (const draft of drafting.newNodes) {
    if (unit.count === 0) return;
    placePods(drafting, draft, unit);
  }
}

const openAndFill = (drafting: PackingState, unit: PodGroup): boolean =>
  unit.options.some((option) => openWith(drafting, unit, option));

/** Opens one node of the pool with as many pods as it takes. @returns false if it takes none */
export function openWith(drafting: PackingState, unit: PodGroup, option: PoolOption): boolean {
  const draft = openNewNode(drafting, option);
  if (!draft) return false;
  if (placePods(drafting, draft, unit) > 0) return true;
  discardNewNode(drafting, draft);
  return false;
}
