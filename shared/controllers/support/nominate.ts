import { DEFAULT_BATCH_WINDOW } from '../../model/settings.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoredNodeClaim } from '../../ports/records.ts';

/** Two batches: within that time the pods are bound, or planned again. At least 10 s. */
const NOMINATED_FOR_MS = Math.max(2 * DEFAULT_BATCH_WINDOW.maxMs, 10 * SECOND_MS);

/**
 * Protects nodes and claims from disruption while planned pods are on their way.
 *
 * @param storedClaims - the claims, if the caller has just read them
 */
export async function nominate(
  { clock, nodeClaims, nominations }: Pick<Ports, 'clock' | 'nodeClaims' | 'nominations'>,
  targets: readonly string[],
  storedClaims?: readonly StoredNodeClaim[],
): Promise<void> {
  if (targets.length === 0) return;
  const names = new Set(targets);
  // A claim with a Node is nominated under both names.
  for (const { claim } of storedClaims ?? (await nodeClaims.list()).records) {
    if (claim.nodeName === undefined) continue;
    if (names.has(claim.name)) names.add(claim.nodeName);
    else if (names.has(claim.nodeName)) names.add(claim.name);
  }
  await nominations.nominate([...names], clock.now() + NOMINATED_FOR_MS);
}
