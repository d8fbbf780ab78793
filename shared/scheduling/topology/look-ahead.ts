import type { DomainChoice, TopologyDomains } from './domain-choice.ts';

/**
 * Limit of the search per placed pod: dead ends show within a few pods, and the first candidate is
 * usually right.
 */
const MAX_STEPS = 200;

/**
 * Returns the candidates after which the most pods can still be placed. Two spreads at once lead
 * into dead ends: the zone that is due may not offer the capacity type that is due.
 *
 * @param isPossible - true if an existing or new node can be in these domains
 * @param lookAhead - number of pods to look ahead
 */
export function findLeadingCandidates(
  candidates: readonly TopologyDomains[],
  choice: DomainChoice,
  isPossible: (topologyDomains: TopologyDomains) => boolean,
  lookAhead: number,
): readonly TopologyDomains[] {
  const search: LookAheadSearch = { choice, isPossible, stepsLeft: MAX_STEPS };
  const possible = candidates.filter(isPossible);
  const followerCounts = possible.map((topologyDomains) => countFollowers(search, topologyDomains, lookAhead));
  const maxCount = Math.max(...followerCounts);
  return possible.filter((_, index) => followerCounts[index] === maxCount);
}

interface LookAheadSearch {
  readonly choice: DomainChoice;
  readonly isPossible: (topologyDomains: TopologyDomains) => boolean;
  stepsLeft: number;
}

/** Counts how many more pods, up to `lookAhead`, can be placed after a pod in `topologyDomains`. */
function countFollowers(search: LookAheadSearch, topologyDomains: TopologyDomains, lookAhead: number): number {
  const { choice, isPossible } = search;
  if (lookAhead === 0) return 0;
  search.stepsLeft -= 1;
  choice.record(topologyDomains, 1);
  let maxCount = 0;
  // The counts must be right even if the work limit ends the search.
  try {
    for (const next of choice.candidates()) {
      if (maxCount === lookAhead || search.stepsLeft < 0) break;
      if (isPossible(next)) maxCount = Math.max(maxCount, 1 + countFollowers(search, next, lookAhead - 1));
    }
  } finally {
    choice.record(topologyDomains, -1);
  }
  return maxCount;
}
