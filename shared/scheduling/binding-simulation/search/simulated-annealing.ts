import { podsOf, type Unit } from '../../assignment/pod-groups.ts';
import type { Packing } from '../../packing/packing.ts';
import {
  costInAllOrdersUsd,
  isClean,
  type Trial,
  tryOut,
  upToDate,
} from '../evaluation/evaluate-packing.ts';
import { type Theatre } from '../evaluation/simulation-context.ts';
import { MOVES } from '../repair-moves/random-moves.ts';
import { lotOf } from '../seeded-random.ts';
import { type Line, ranked } from './search-starts.ts';

/** How much worse a packing may be, as a share of the cheapest one's price: less and less. */
const [FIRST_HEAT, LAST_HEAT] = [0.05, 0.005];

/** What a packing may cost more than it may at last; each dollar too much counts more and more. */
const BEYOND = 1.15;
const [FIRST_FINE, LAST_FINE] = [3, 100];

/** Of a few pods there is not much to change. */
const MOVES_PER_POD = 20;

/** To make a packing takes as long as so many looks, by each host and each class. */
const LOOKS_PER_MOVE = 100;

/**
 * Changes a packing again and again by what the lot draws, and keeps what became better or, as long
 * as it is hot, a little worse: so it comes out of where each single change makes it worse. Ends
 * with the first packing that holds, or when effort ends.
 *
 * @param seed - of the lots that are drawn
 * @returns the best that is not too dear, the one it began with where none is better
 * @see Kirkpatrick, Gelatt, Vecchi: Optimization by Simulated Annealing (1983)
 */
export function annealed(
  theatre: Theatre,
  start: Trial,
  units: readonly Unit[],
  seed: number,
): Trial {
  const { budget, plainUsd, mostUsd } = theatre;
  const lot = lotOf(seed);
  const initialVisits = budget.remaining();
  if (isClean(start)) return start;
  const excessUsd = ({ packing }: Pick<Trial, 'packing'>) =>
    Math.max(0, packing.hourlyUsd - mostUsd);
  let last = start;
  let best = start;
  const mostMoves = MOVES_PER_POD * podsOf(units);
  for (let move = 0; move < mostMoves && !budget.isExhausted(); move++) {
    const progress = Math.max(1 - budget.remaining() / initialVisits, move / mostMoves);
    const heat = plainUsd * between(FIRST_HEAT, LAST_HEAT, progress);
    const fine = between(FIRST_FINE, LAST_FINE, progress);
    const enoughUsd = last.costUsd + fine * excessUsd(last) - heat * Math.log(1 - lot());
    budget.spend(LOOKS_PER_MOVE * (last.hosts.length + theatre.cast.parts.length));
    const packing = MOVES[Math.floor(lot() * MOVES.length)]?.(theatre, last, units, lot);
    if (!packing || packing.hourlyUsd > mostUsd * BEYOND) continue;
    const excess = excessUsd({ packing });
    if (packing.costUsd + fine * excess > enoughUsd) continue;
    const next = tryOut(theatre, packing, enoughUsd - fine * excess, last);
    last = upToDate(theatre, last);
    best = upToDate(theatre, best);
    if (!next) continue;
    last = next;
    if (excess > 0 || next.costUsd >= best.costUsd) continue;
    best = next;
    if (isClean(next)) break;
  }
  return best;
}

/** By equal factors from the first value to the last. */
const between = (first: number, last: number, progress: number): number =>
  first * (last / first) ** progress;

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
    const end = theatre.budget.withShare(1 / (starts.length - lot), () =>
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
