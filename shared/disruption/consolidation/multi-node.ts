import { byClaimName, type Candidate } from '../candidates.ts';
import type { Consolidation, ConsolidationMove } from './consolidate.ts';

/** Nodes that are removed together, and where their pods go. */
export interface MultiNodeMove {
  readonly candidates: readonly Candidate[];
  readonly move: ConsolidationMove;
}

/** Limits the time that one move blocks others. @see Karpenter, maxParallel */
const MAX_CANDIDATES = 100;

/**
 * Finds the group of nodes whose joint removal, or replacement by one cheaper node, saves most. A
 * binary search finds the longest removable prefix of an order; several orders are tried, because
 * candidates with the highest saving per disruption do not always fit best elsewhere.
 *
 * @param candidates - highest saving per disruption first; their budgets allow all of them
 * @param evaluate - returns the move, if it is possible and justifies the disruption
 */
export function consolidateTogether(
  candidates: readonly Candidate[],
  evaluate: (candidates: readonly Candidate[]) => Consolidation,
): MultiNodeMove | undefined {
  if (candidates.length < 2) return undefined;
  let best: MultiNodeMove | undefined;
  const evaluated = new Set<string>();

  function findMove(together: readonly Candidate[]): ConsolidationMove | undefined {
    const key = candidateSetKey(together);
    // A set that was evaluated before counts only if it is still the best.
    if (evaluated.has(key)) return best && candidateSetKey(best.candidates) === key ? best.move : undefined;
    evaluated.add(key);
    const move = evaluate(together);
    if (move.outcome === 'stays') return undefined;
    if (!best || isBetter({ candidates: together, move }, best)) {
      best = { candidates: together, move };
    }
    return move;
  }

  // When a proposed move is validated, `candidates` are exactly its nodes: evaluate them together.
  if (candidates.length <= MAX_CANDIDATES) findMove(candidates);
  // A move saves at most what its nodes cost.
  const maySaveMore = (together: readonly Candidate[]): boolean =>
    !best || sumPrices(together) > best.move.minSavingHourlyUsd - ROUNDING_USD;
  for (const order of ORDERS) {
    const ordered = candidates.toSorted(order).slice(0, MAX_CANDIDATES);
    if (maySaveMore(ordered)) searchLongestPrefix(ordered, findMove, maySaveMore);
  }
  return best;
}

const sumPrices = (candidates: readonly Candidate[]): number =>
  candidates.reduce((sum, { hourlyUsd }) => sum + hourlyUsd, 0);

/** Tolerance for sums of the same prices in another order. */
const ROUNDING_USD = 1e-9;

/** If both save the same, the move with less disruption is better. */
function isBetter(a: MultiNodeMove, b: MultiNodeMove): boolean {
  const savingDifference = a.move.minSavingHourlyUsd - b.move.minSavingHourlyUsd;
  return Math.abs(savingDifference) > ROUNDING_USD ? savingDifference > 0 : countDisruption(a) < countDisruption(b);
}

const countDisruption = ({ candidates, move }: MultiNodeMove): number =>
  candidates.reduce((sum, { disruptionCost }) => sum + disruptionCost, move.replacements.length);

const candidateSetKey = (candidates: readonly Candidate[]): string =>
  candidates
    .map(({ claim }) => claim.name)
    .toSorted()
    .join();

/**
 * Binary search for the longest possible prefix. If half of the nodes can be removed without a replacement,
 * mostly all of them can go: then only prefixes are evaluated that may save more than all.
 */
function searchLongestPrefix(
  ordered: readonly Candidate[],
  findMove: (together: readonly Candidate[]) => ConsolidationMove | undefined,
  maySaveMore: (together: readonly Candidate[]) => boolean,
): void {
  let low = 2;
  let high = ordered.length;
  let isAllPossible = false;
  for (let isFirst = true; low <= high; isFirst = false) {
    const count = Math.floor((low + high) / 2);
    const prefix = ordered.slice(0, count);
    const isSkipped = isAllPossible && !maySaveMore(prefix);
    const move = isSkipped ? undefined : findMove(prefix);
    if (isFirst && move?.replacements.length === 0) isAllPossible = findMove(ordered) !== undefined;
    if (isSkipped || move) low = count + 1;
    else high = count - 1;
  }
}

type CandidateOrder = (a: Candidate, b: Candidate) => number;

const computeSavingPerDisruption = ({ hourlyUsd, disruptionCost }: Candidate): number => hourlyUsd / disruptionCost;

const ORDERS: readonly CandidateOrder[] = [
  (a, b) => computeSavingPerDisruption(b) - computeSavingPerDisruption(a) || byClaimName(a, b),
  // Lowest utilization first: these pods need the least room elsewhere.
  (a, b) => a.usedShare - b.usedShare || byClaimName(a, b),
  // Highest price for unused resources first.
  (a, b) => computeWaste(b) - computeWaste(a) || byClaimName(a, b),
];

const computeWaste = ({ hourlyUsd, usedShare }: Candidate): number => hourlyUsd * (1 - usedShare);
