import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { Ports } from '../../ports/ports.ts';

/**
 * Adds the instances of claims that Karpenter launched: EC2 lists only those that Mortise did.
 *
 * @param launched - the instances that EC2 lists
 */
export async function withAdoptedInstances(
  { cloud }: { readonly cloud: Pick<Ports['cloud'], 'findInstances'> },
  launched: readonly Instance[],
  claims: readonly NodeClaim[],
): Promise<readonly Instance[]> {
  const listed = new Set(launched.map(({ providerId }) => providerId));
  const unlisted = claims
    .flatMap(({ launch }) => launch?.providerId ?? [])
    .filter((providerId) => !listed.has(providerId));
  return [...launched, ...(await cloud.findInstances(unlisted))];
}
