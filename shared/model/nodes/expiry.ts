import { hashWithSeed } from '../hash.ts';
import { type EpochMs, HOUR_MS } from '../time.ts';
import type { NodeClaim } from './node-claim.ts';

/** Nodes that were launched together expire within this share of their `expireAfter`. */
const MAX_DELAY_SHARE = 0.1;
const MAX_DELAY_MS = HOUR_MS;

const SEED = 0x0e_c0_de_ed;

/**
 * Computes when a claim expires; `undefined` if it never does. Claims that were created together
 * expire one after the other: each is delayed by up to 10 % of its `expireAfter`, at most one hour.
 * The delay follows from the claim's name. No claim expires before its `expireAfter`.
 */
export function computeExpiry({ name, createdAt, expireAfterMs }: NodeClaim): EpochMs | undefined {
  if (expireAfterMs === undefined) return undefined;
  const share = hashWithSeed(name, SEED) / 2 ** 32;
  const maxDelayMs = Math.min(MAX_DELAY_MS, expireAfterMs * MAX_DELAY_SHARE);
  return createdAt + expireAfterMs + Math.floor((share * maxDelayMs) / 1000) * 1000;
}

/**
 * Computes when a claim is deleted because of its age, whatever budgets, PodDisruptionBudgets and
 * do-not-disrupt say; `undefined` if it never is. Under voluntary expiration this is one
 * `terminationGracePeriod` after its expiry, or never without one.
 */
export function computeForcedExpiry(claim: NodeClaim): EpochMs | undefined {
  const expiry = computeExpiry(claim);
  if (expiry === undefined || !claim.expiresVoluntarily) return expiry;
  const { terminationGracePeriodMs } = claim;
  return terminationGracePeriodMs === undefined ? undefined : expiry + terminationGracePeriodMs;
}
