import type { Candidate } from '../candidates.ts';
import { consolidate, type Move } from './consolidate.ts';
import type { Outlook } from './consolidation-state.ts';

/** Nodes that go together, and what becomes of their pods. */
export interface JointMove {
  readonly candidates: readonly Candidate[];
  readonly move: Move;
}

/** More would hold up a cluster's other moves for too long. @see Karpenter, maxParallel */
const MOST_TOGETHER = 100;

/**
 * Of nodes that can go together, those that save most: removed for good, or replaced by one cheaper
 * node. How many of an order can go is found by halving; several orders are tried, for what is worth
 * most for its disruption is not always what fits best elsewhere.
 *
 * @param candidates - worthiest first; their budgets allow all of them
 * @param approves - whether a move is worth its disruption to whoever owns the pools
 */
export function consolidateSeveral(
  candidates: readonly Candidate[],
  outlook: Outlook,
  decision: string,
  approves: (candidates: readonly Candidate[], move: Move) => boolean,
): JointMove | undefined {
  if (candidates.length < 2) return undefined;
  let best: JointMove | undefined;
  const seen = new Set<string>();

  function isPossible(together: readonly Candidate[]): boolean {
    const key = keyOf(together);
    if (seen.has(key)) return best !== undefined && keyOf(best.candidates) === key;
    seen.add(key);
    const move = consolidate(together, outlook, decision);
    if (move.outcome === 'stays' || !approves(together, move)) return false;
    if (!best || isBetter({ candidates: together, move }, best)) {
      best = { candidates: together, move };
    }
    return true;
  }

  // A proposal that is looked at again asks for just these.
  if (candidates.length <= MOST_TOGETHER) isPossible(candidates);
  for (const order of ORDERS) {
    const ordered = candidates.toSorted(order).slice(0, MOST_TOGETHER);
    longestPrefix(ordered, isPossible);
  }
  return best;
}

/** Sums of the same prices in another order. */
const ROUNDING_USD = 1e-9;

/** Of two that save as much, the one that disturbs less. */
function isBetter(a: JointMove, b: JointMove): boolean {
  const more = a.move.savingHourlyUsd - b.move.savingHourlyUsd;
  return Math.abs(more) > ROUNDING_USD ? more > 0 : disturbs(a) < disturbs(b);
}

const disturbs = ({ candidates, move }: JointMove): number =>
  candidates.reduce((sum, { disruptionCost }) => sum + disruptionCost, move.replacements.length);

const keyOf = (candidates: readonly Candidate[]): string =>
  candidates
    .map(({ claim }) => claim.name)
    .toSorted()
    .join();

/** Halves the range until no longer prefix is known to be possible. */
function longestPrefix(
  ordered: readonly Candidate[],
  isPossible: (together: readonly Candidate[]) => boolean,
): void {
  let least = 2;
  let most = ordered.length;
  while (least <= most) {
    const count = Math.floor((least + most) / 2);
    if (isPossible(ordered.slice(0, count))) least = count + 1;
    else most = count - 1;
  }
}

type Order = (a: Candidate, b: Candidate) => number;

const byName: Order = (a, b) => (a.claim.name < b.claim.name ? -1 : 1);

const worthOf = ({ hourlyUsd, disruptionCost }: Candidate): number => hourlyUsd / disruptionCost;

const ORDERS: readonly Order[] = [
  (a, b) => worthOf(b) - worthOf(a) || byName(a, b),
  // The emptiest: their pods need the least room elsewhere.
  (a, b) => a.usedShare - b.usedShare || byName(a, b),
  // The dearest for what they hold.
  (a, b) => wasteOf(b) - wasteOf(a) || byName(a, b),
];

const wasteOf = ({ hourlyUsd, usedShare }: Candidate): number => hourlyUsd * (1 - usedShare);
