import type { NodeClaim } from '../model/node-claim.ts';
import type { EpochMs } from '../model/time.ts';

/** Absent: never. Budgets, PodDisruptionBudgets and do-not-disrupt do not move it. */
export const expiresAt = ({ createdAt, expireAfterMs }: NodeClaim): EpochMs | undefined =>
  expireAfterMs === undefined ? undefined : createdAt + expireAfterMs;

export const isExpired = (claim: NodeClaim, now: EpochMs): boolean =>
  now >= (expiresAt(claim) ?? Number.POSITIVE_INFINITY);
