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
    if (ends.length >= LOTS && ends.every((end) => isHopeless(theatre, end))) break;
    const end = withShare(theatre, 1 / (starts.length - lot), () =>
      annealed(theatre, trial, units, lot + 1),
    );
    if (isClean(end)) return end.packing;
    ends.push(end);
  }
  const costs = new Map(ends.map((end) => [end, costInAllOrdersUsd(theatre, end)]));
  return ends.reduce((a, b) => ((costs.get(b) ?? 0) < (costs.get(a) ?? 0) ? b : a)).packing;
}

const isHopeless = ({ plainUsd }: Theatre, { costUsd, packing }: Trial): boolean =>
  costUsd - packing.costUsd > HOPELESS * plainUsd;
