import type { PodGroup } from '../../assignment/pod-groups.ts';
import { findFit, placePods } from '../new-nodes/joining.ts';
import type { NewNode, PackingState } from '../new-nodes/packing-state.ts';
import type { Construction } from '../packing.ts';
import { biggestFirst, openWith } from './first-fit.ts';

/**
 * Karpenter's construction pod by pod, for pods whose domains are chosen: each onto the draft with
 * the fewest pods that takes it, else onto a new one. It spreads pods much as kube-scheduler will,
 * and is dearer for it. Work grows with pods times drafts, so it is for small batches.
 */
export const packEvenly: Construction = (drafting, units) => {
  for (const equals of equalsOf(units.toSorted(biggestFirst))) packInTurns(drafting, equals);
};

/** Units whose pods ask for the same: they differ in where they go, and come in turns. */
const equalsOf = (units: readonly PodGroup[]): (readonly PodGroup[])[] => [
  ...Map.groupBy(units, ({ request }) => request.join()).values(),
];

function packInTurns(drafting: PackingState, units: readonly PodGroup[]): void {
  const open = new Map(units.map((unit) => [unit, openTo(drafting, unit)]));
  for (let waiting = units; waiting.length > 0; ) {
    waiting = waiting.filter((unit) => {
      const before = drafting.newNodes.length;
      const isPut = putOne(drafting, unit, open.get(unit) ?? []);
      for (const draft of drafting.newNodes.slice(before)) {
        for (const drafts of open.values()) drafts.push(draft);
      }
      return isPut && unit.count > 0;
    });
  }
}

const openTo = (drafting: PackingState, unit: PodGroup): NewNode[] =>
  drafting.newNodes.filter((draft) => findFit(drafting, draft, unit, 1));

/** @param open - drafts that may take it; those that do not are dropped, for they only fill up */
function putOne(drafting: PackingState, unit: PodGroup, open: NewNode[]): boolean {
  open.sort(byPods);
  for (let first = open[0]; first; first = open[0]) {
    if (placePods(drafting, first, unit, 1) > 0) return true;
    open.shift();
  }
  const one = { ...unit, count: 1 };
  const isOpened = unit.options.some((option) => openWith(drafting, one, option));
  if (isOpened) unit.count -= 1;
  return isOpened;
}

const byPods = (a: NewNode, b: NewNode): number => podsOn(a) - podsOn(b);

const podsOn = ({ podCounts }: NewNode): number =>
  podCounts.values().reduce((total, count) => total + count, 0);
