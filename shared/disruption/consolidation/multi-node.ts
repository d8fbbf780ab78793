import type { Candidate } from '../candidates.ts';
import { type ConsolidationMove, consolidate } from './consolidate.ts';
import type { ConsolidationState } from './consolidation-state.ts';

/** Nodes that go together, and what becomes of their pods. */
export interface MultiNodeMove {
  readonly candidates: readonly Candidate[];
  readonly move: ConsolidationMove;
}

/** More would hold up a cluster's other moves for too long. @see Karpenter, maxParallel */
const MAX_CANDIDATES = 100;

/**
 * Of nodes that can go together, those that save most: removed for good, or replaced by one cheaper
 * node. How many of an order can go is found by halving; several orders are tried, for what is worth
 * most for its disruption is not always what fits best elsewhere.
 *
 * @param candidates - worthiest first; their budgets allow all of them
 * @param isWorthwhile - whether a move is worth its disruption to whoever owns the pools
 */
export function consolidateTogether(
  candidates: readonly Candidate[],
  state: ConsolidationState,
  decision: string,
  isWorthwhile: (candidates: readonly Candidate[], move: ConsolidationMove) => boolean,
): MultiNodeMove | undefined {
  if (candidates.length < 2) return undefined;
  let best: MultiNodeMove | undefined;
  const evaluated = new Set<string>();

  function isPossible(together: readonly Candidate[]): boolean {
    const key = candidateSetKey(together);
    if (evaluated.has(key)) return best !== undefined && candidateSetKey(best.candidates) === key;
    evaluated.add(key);
    const move = consolidate(together, state, decision);
    if (move.outcome === 'stays' || !isWorthwhile(together, move)) return false;
    if (!best || isBetter({ candidates: together, move }, best)) {
      best = { candidates: together, move };
    }
    return true;
  }

  // A proposal that is looked at again asks for just these.
  if (candidates.length <= MAX_CANDIDATES) isPossible(candidates);
  for (const order of ORDERS) {
    const ordered = candidates.toSorted(order).slice(0, MAX_CANDIDATES);
    searchLongestPrefix(ordered, isPossible);
  }
  return best;
}

/** Sums of the same prices in another order. */
const ROUNDING_USD = 1e-9;

/** Of two that save as much, the one that disturbs less. */
function isBetter(a: MultiNodeMove, b: MultiNodeMove): boolean {
  const savingDifference = a.move.savingHourlyUsd - b.move.savingHourlyUsd;
  return Math.abs(savingDifference) > ROUNDING_USD
    ? savingDifference > 0
    : countDisruption(a) < countDisruption(b);
}

const countDisruption = ({ candidates, move }: MultiNodeMove): number =>
  candidates.reduce((sum, { disruptionCost }) => sum + disruptionCost, move.replacements.length);

const candidateSetKey = (candidates: readonly Candidate[]): string =>
  candidates
    .map(({ claim }) => claim.name)
    .toSorted()
    .join();

/** Halves the range until no longer prefix is known to be possible. */
function searchLongestPrefix(
  ordered: readonly Candidate[],
  isPossible: (together: readonly Candidate[]) => boolean,
): void {
  let low = 2;
  let high = ordered.length;
  while (low <= high) {
    const count = Math.floor((low + high) / 2);
    if (isPossible(ordered.slice(0, count))) low = count + 1;
    else high = count - 1;
  }
}

type CandidateOrder = (a: Candidate, b: Candidate) => number;

const byName: CandidateOrder = (a, b) => (a.claim.name < b.claim.name ? -1 : 1);

const computeWorth = ({ hourlyUsd, disruptionCost }: Candidate): number =>
  hourlyUsd / disruptionCost;

const ORDERS: readonly CandidateOrder[] = [
  (a, b) => computeWorth(b) - computeWorth(a) || byName(a, b),
  // The emptiest: their pods need the least room elsewhere.
  (a, b) => a.usedShare - b.usedShare || byName(a, b),
  // The dearest for what they hold.
  (a, b) => computeWaste(b) - computeWaste(a) || byName(a, b),
];

const computeWaste = ({ hourlyUsd, usedShare }: Candidate): number => hourlyUsd * (1 - usedShare);
