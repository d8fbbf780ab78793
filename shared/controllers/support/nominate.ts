import { SECOND_MS } from '../../model/time.ts';
import type { Stored } from '../../ports/records.ts';
import type { Ports } from '../../ports/ports.ts';
import { BATCH_MAX_MS } from '../provisioning/pod-batch.ts';

/** Two batches' time, and no less than 10 s: within it the pods are bound, or planned again. */
const NOMINATED_FOR_MS = Math.max(2 * BATCH_MAX_MS, 10 * SECOND_MS);

/**
 * Keeps nodes and claims from disruption while planned pods are on their way.
 *
 * @param known - the claims, where they were read a moment ago
 */
export async function nominate(
  { clock, nodeClaims, nominations }: Pick<Ports, 'clock' | 'nodeClaims' | 'nominations'>,
  targets: readonly string[],
  known?: readonly Stored[],
): Promise<void> {
  if (targets.length === 0) return;
  const wanted = new Set(targets);
  // A claim that got its Node goes by both names.
  for (const { claim } of known ?? (await nodeClaims.list())) {
    if (claim.nodeName === undefined) continue;
    if (wanted.has(claim.name)) wanted.add(claim.nodeName);
    else if (wanted.has(claim.nodeName)) wanted.add(claim.name);
  }
  await nominations.nominate([...wanted], clock.now() + NOMINATED_FOR_MS);
}
