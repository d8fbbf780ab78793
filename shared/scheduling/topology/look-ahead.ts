import type { Pins } from '../packing/units.ts';
import type { DomainChoice } from './domain-choice.ts';

/** Looked at per pod: a dead end shows within a few pods, and most first guesses are right. */
const MAX_STEPS = 200;

/**
 * Those of the combinations after which most pods can follow. Two spreads at once lead into dead
 * ends: the zone that is due may not have the capacity type that is.
 *
 * @param isPossible - whether any node, running or to launch, can be in these domains
 * @param ahead - how many pods to look ahead
 */
export function leadingOn(
  candidates: readonly Pins[],
  choice: DomainChoice,
  isPossible: (pins: Pins) => boolean,
  ahead: number,
): readonly Pins[] {
  const search: Search = { choice, isPossible, stepsLeft: MAX_STEPS };
  const possible = candidates.filter(isPossible);
  const follow = possible.map((pins) => followers(search, pins, ahead));
  const most = Math.max(...follow);
  return possible.filter((_, index) => follow[index] === most);
}

interface Search {
  readonly choice: DomainChoice;
  readonly isPossible: (pins: Pins) => boolean;
  stepsLeft: number;
}

/** How many more pods, up to `ahead`, find a place once one went to `pins`. */
function followers(search: Search, pins: Pins, ahead: number): number {
  const { choice, isPossible } = search;
  if (ahead === 0) return 0;
  search.stepsLeft -= 1;
  choice.record(pins, 1);
  let most = 0;
  for (const next of choice.candidates()) {
    if (most === ahead || search.stepsLeft < 0) break;
    if (isPossible(next)) most = Math.max(most, 1 + followers(search, next, ahead - 1));
  }
  choice.record(pins, -1);
  return most;
}
