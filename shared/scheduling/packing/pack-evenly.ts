import { commit, type Draft, type Drafting, joining, roomWithMinValues } from './drafts.ts';
import { biggestFirst, openWith } from './first-fit.ts';
import type { Unit } from './units.ts';

/**
 * Karpenter's construction pod by pod: each onto the draft with the fewest pods that takes it, else
 * onto a new one. It spreads pods much as kube-scheduler will, and is dearer for it. Work grows with
 * pods times drafts, so it is for small batches.
 */
export function packEvenly(drafting: Drafting, units: readonly Unit[]): void {
  for (const unit of units.toSorted(biggestFirst)) {
    let open = drafting.drafts.filter((draft) => joining(drafting, draft, unit, 1));
    while (unit.count > 0) {
      const [emptiest] = open.toSorted((a, b) => podsOn(a) - podsOn(b));
      if (!emptiest) {
        const before = drafting.drafts.length;
        if (!openForOne(drafting, unit)) break;
        open = drafting.drafts.slice(before);
      } else if (!putOne(drafting, emptiest, unit)) {
        open = open.filter((draft) => draft !== emptiest);
      }
    }
  }
}

const podsOn = ({ contents }: Draft): number =>
  [...contents.values()].reduce((total, count) => total + count, 0);

function putOne(drafting: Drafting, draft: Draft, unit: Unit): boolean {
  const joined = joining(drafting, draft, unit, 1);
  if (!joined || roomWithMinValues(drafting, draft, unit, joined) === 0) return false;
  commit(drafting, draft, unit, 1, joined);
  return true;
}

function openForOne(drafting: Drafting, unit: Unit): boolean {
  const one = { ...unit, count: 1 };
  const opened = unit.options.some((option) => openWith(drafting, one, option));
  if (opened) unit.count -= 1;
  return opened;
}
