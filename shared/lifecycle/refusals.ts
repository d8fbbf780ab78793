import type { NodeClaim } from '../model/node-claim.ts';
import type { EpochMs } from '../model/time.ts';

/**
 * Keeps what holds the drain up, each since its first refusal.
 *
 * @param holders - budgets, and pods that something else keeps, as of just now and without repetition
 * @returns the very claim that came in, if nothing changed
 */
export function noteRefusals(
  claim: NodeClaim,
  holders: readonly string[],
  now: EpochMs,
): NodeClaim {
  const known = claim.heldUpBy ?? {};
  const unchanged =
    holders.length === Object.keys(known).length &&
    holders.every((holder) => known[holder] !== undefined);
  if (unchanged) return claim;

  const heldUpBy = Object.fromEntries(holders.map((holder) => [holder, known[holder] ?? now]));
  return { ...claim, heldUpBy };
}
