import type { Unit } from '../../assignment/pod-groups.ts';
import { isClean, type Trial, tryOut } from '../evaluation/evaluate-packing.ts';
import { type Theatre } from '../evaluation/simulation-context.ts';
import { trimmings } from '../repair-moves/reduce-capacity.ts';
import { remedies } from '../repair-moves/targeted-moves.ts';

/** How often one packing is mended, and how often in vain. */
const MENDINGS = 20;
const MENDINGS_IN_VAIN = 5;

/** How much worse it may become for a while. */
const WORSE = 1.5;

/** How often a packing is gone through for what can be taken away. */
const TRIMMINGS = 3;

/** Makes room for the displaced, each time in the way that costs least, until there are none. */
export function mended(
  theatre: Theatre,
  start: Trial,
  units: readonly Unit[],
  mostUsd: number,
): Trial[] {
  const found: Trial[] = [];
  let last = start;
  let bestUsd = start.costUsd;
  for (let vain = 0; found.length < MENDINGS && vain < MENDINGS_IN_VAIN && !isClean(last); ) {
    let next: Trial | undefined;
    for (const packing of remedies(theatre, last, units)) {
      if (theatre.budget.isExhausted()) return found;
      if (packing.hourlyUsd > mostUsd) continue;
      next = tryOut(theatre, packing, next?.costUsd ?? last.costUsd * WORSE, last) ?? next;
    }
    if (!next) break;
    vain = next.costUsd < bestUsd ? 0 : vain + 1;
    bestUsd = Math.min(bestUsd, next.costUsd);
    found.push(next);
    last = next;
  }
  return found;
}

/** Takes away what is too much, piece by piece, until the price is right and as long as all hold. */
export function trimmed(theatre: Theatre, start: Trial): Trial {
  let last = start;
  for (let round = 0; round < TRIMMINGS; round++) {
    const before = last;
    for (const packing of trimmings(before, theatre.problem)) {
      if (last.packing.hourlyUsd <= theatre.mostUsd || theatre.budget.isExhausted()) return last;
      if (packing.costUsd < last.costUsd) {
        last = tryOut(theatre, packing, last.costUsd, last) ?? last;
      }
    }
    if (last === before) break;
  }
  return last;
}
