import type { Packing } from '../packing/packing.ts';
import { annealed } from './annealing.ts';
import { type Line, ranked } from './lines.ts';
import { type Theatre, withShare } from './theatre.ts';
import { costInAllOrdersUsd, isClean, type Trial } from './trials.ts';

/** From how many packings annealing starts, the most promising ones, and how often from each. */
const STARTS = 3;
const LOTS = 2;

/**
 * What displaced pods may still count for after the first of them, as a share of the cheapest
 * packing's price: beyond it no packing that holds was ever found.
 */
const HOPELESS = 1;

/**
 * Anneals several packings, for where one comes to its end another may go on.
 *
 * @returns the first that holds, or the one that costs least in all orders
 */
export function annealedFromSeveral(theatre: Theatre, lines: readonly Line[]): Packing {
  const starts = ranked(theatre, lines)
    .slice(0, STARTS)
    .flatMap((line) => Array.from({ length: LOTS }, () => line));
  const ends: Trial[] = [];
  for (const [lot, { trial, units }] of starts.entries()) {
    if (ends.length >= LOTS && ends.every((end) => isHopeless(theatre, end))) {
      return cheapest(ends, ({ costUsd }) => costUsd);
    }
    const end = withShare(theatre, 1 / (starts.length - lot), () =>
      annealed(theatre, trial, units, lot + 1),
    );
    if (isClean(end)) return end.packing;
    ends.push(end);
  }
  return cheapest(ends, (end) => costInAllOrdersUsd(theatre, end));
}

const isHopeless = ({ plainUsd }: Theatre, { costUsd, packing }: Trial): boolean =>
  costUsd - packing.costUsd > HOPELESS * plainUsd;

const cheapest = (ends: readonly Trial[], costOf: (end: Trial) => number): Packing =>
  ends
    .map((end) => ({ packing: end.packing, usd: costOf(end) }))
    .reduce((a, b) => (b.usd < a.usd ? b : a)).packing;
