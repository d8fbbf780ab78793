import type { Packing } from '../../packing/packing.ts';
import { podsTooLight } from './pool-weights.ts';
import type { Theatre } from './simulation-context.ts';
import { type Outcome, type Performance, performanceOf } from './simulation-runs.ts';

/** A packing with what its rehearsals came to. */
export interface Trial extends Outcome {
  /** How many of the telling orders it was tried in. */
  readonly orders: number;
}

export const isClean = ({ displaced }: Pick<Outcome, 'displaced'>): boolean =>
  [...displaced.values()].every(({ length }) => length === 0);

/**
 * Rehearses a packing in the orders that tell most, and once it holds in these, and is not too dear,
 * in all others: the first that refutes it is asked of every packing from then on.
 *
 * @param like - a trial whose hardest orders are probably hard for this packing, too
 * @returns undefined as soon as it is clear that it costs more than `mostUsd`, or where it passes
 *   over heavier pools
 */
export function tryOut(
  theatre: Theatre,
  packing: Packing,
  mostUsd = Infinity,
  like?: Trial,
): Trial | undefined {
  if (podsTooLight(packing.drafting) > theatre.plainTooLight) return undefined;
  const { telling } = theatre;
  const performance = performanceOf(theatre, packing);
  for (const number of soonestRefuted(performance, telling, like)) {
    performance.runIn(number);
    if (performance.costUsd() > mostUsd) return undefined;
  }
  const isCandidate = packing.hourlyUsd <= theatre.mostUsd && isClean(performance.outcome());
  const doubt = isCandidate ? firstDoubt(performance, telling) : undefined;
  if (doubt !== undefined) telling.push(doubt);
  const trial = { ...performance.outcome(), orders: telling.length };
  return trial.costUsd > mostUsd ? undefined : trial;
}

/** The trial with what it comes to in the orders that joined since. */
export function upToDate(theatre: Theatre, trial: Trial): Trial {
  const { telling } = theatre;
  if (trial.orders === telling.length) return trial;
  const performance = performanceOf(theatre, trial.packing, trial);
  for (const number of telling.slice(trial.orders)) performance.runIn(number);
  return { ...performance.outcome(), orders: telling.length };
}

/** The first of the other orders that displaces pods. */
function firstDoubt(performance: Performance, telling: readonly number[]): number | undefined {
  const asked = new Set(telling);
  for (let number = 0; number < performance.orders; number++) {
    if (asked.has(number)) continue;
    performance.runIn(number);
    if (!isClean(performance.outcome())) return number;
  }
  return undefined;
}

/** What is known comes first, then what was hard for the other trial. */
function soonestRefuted(
  { isKnown }: Performance,
  orders: readonly number[],
  like: Trial | undefined,
): readonly number[] {
  const podsIn = (number: number): number =>
    (like?.displaced.get(number) ?? []).reduce((total, { pods }) => total + pods, 0);
  const promise = new Map(
    orders.map((number) => [number, (isKnown(number) ? KNOWN : 0) + podsIn(number)]),
  );
  return orders.toSorted((a, b) => (promise.get(b) ?? 0) - (promise.get(a) ?? 0));
}

/** More than there are pods. */
const KNOWN = 1e9;

/** What a packing costs with what pods count that any order displaces. */
export function costInAllOrdersUsd(theatre: Theatre, { packing }: Trial): number {
  const performance = performanceOf(theatre, packing);
  for (let number = 0; number < performance.orders; number++) performance.runIn(number);
  return performance.costUsd();
}
