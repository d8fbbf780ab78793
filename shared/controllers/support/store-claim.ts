import type { NodeClaim } from '../../model/node-claim.ts';
import type { Stored, Version } from '../../ports/records.ts';
import type { Ports } from '../../ports/ports.ts';

/**
 * Writes the record, then shows it in the cluster.
 *
 * @throws StaleNodeClaimError - another writer came first: read again, decide again
 */
export async function storeClaim(
  { nodeClaims, cluster }: Pick<Ports, 'nodeClaims' | 'cluster'>,
  claim: NodeClaim,
  seen: Version,
): Promise<Stored> {
  await nodeClaims.save(claim, seen);
  await cluster.projectNodeClaim(claim);
  return { claim, version: seen + 1 };
}
