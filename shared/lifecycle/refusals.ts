import type { NodeClaim } from '../model/node-claim.ts';
import type { PodKey } from '../model/pod.ts';
import type { EpochMs } from '../model/time.ts';

/**
 * Keeps which pods a budget holds back, each since its first refusal.
 *
 * @returns the very claim that came in, if nothing changed
 */
export function noteRefusals(
  claim: NodeClaim,
  refused: readonly PodKey[],
  now: EpochMs,
): NodeClaim {
  const known = claim.refusedEvictions ?? {};
  const unchanged =
    refused.length === Object.keys(known).length &&
    refused.every((pod) => known[pod] !== undefined);
  if (unchanged) return claim;

  const refusedEvictions = Object.fromEntries(refused.map((pod) => [pod, known[pod] ?? now]));
  return { ...claim, refusedEvictions };
}
