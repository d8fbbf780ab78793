import type { NodeClaim } from '../model/node-claim.ts';
import type { EpochMs } from '../model/time.ts';

/**
 * Keeps which budgets hold the drain up, each since its first refusal.
 *
 * @param budgets - that refused an eviction just now, without repetition
 * @returns the very claim that came in, if nothing changed
 */
export function noteRefusals(
  claim: NodeClaim,
  budgets: readonly string[],
  now: EpochMs,
): NodeClaim {
  const known = claim.heldUpBy ?? {};
  const unchanged =
    budgets.length === Object.keys(known).length &&
    budgets.every((budget) => known[budget] !== undefined);
  if (unchanged) return claim;

  const heldUpBy = Object.fromEntries(budgets.map((budget) => [budget, known[budget] ?? now]));
  return { ...claim, heldUpBy };
}
