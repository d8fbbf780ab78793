import type { Instance } from '../../ports/cloud.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoredNodeClaim } from '../../ports/records.ts';
import { storeClaim, writeUnlessStale } from '../support/claim-writes.ts';
import { createReachabilityCheck } from '../zonal-shift/shifted-zones.ts';

/** One call per second, as in Karpenter, to leave the EC2 request quota to launches. */
const MAX_TAGGED_PER_SWEEP = 60;

/**
 * Tags instances with their claim and Node, for people reading EC2's console. A group launch cannot tag
 * them, because the assignment is known only afterwards. Existing names stay; a tag that was removed is restored. The
 * NodeClaim shows that its instance has the tags.
 */
export async function tagInstances(
  ports: Pick<Ports, 'cloud' | 'clock' | 'zonalShifts' | 'nodeClaims' | 'cluster'>,
  stored: readonly StoredNodeClaim[],
  instances: readonly Instance[],
): Promise<void> {
  const isWithinReach = await createReachabilityCheck(ports);
  const running = new Map(instances.map((instance) => [instance.providerId, instance]));
  const untagged = stored.flatMap(({ claim, version }) => {
    const { name, launch, nodeName, deletingAt, isTagged } = claim;
    const instance = running.get(launch?.providerId ?? '');
    if (!instance || nodeName === undefined || deletingAt !== undefined) return [];
    if (!isWithinReach(instance.providerId)) return [];
    const names = {
      ...(instance.claim !== name && { claim: name }),
      ...(instance.name === undefined && { name: nodeName }),
      ...(instance.lacksClusterTag && { clusterTag: true as const }),
    };
    const isNamed = Object.keys(names).length === 0;
    return isNamed && isTagged ? [] : [{ claim, version, providerId: instance.providerId, names, isNamed }];
  });
  for (const { claim, version, providerId, names, isNamed } of untagged.slice(0, MAX_TAGGED_PER_SWEEP)) {
    if (!isNamed) await ports.cloud.nameInstance(providerId, names);
    if (!claim.isTagged) await writeUnlessStale(() => storeClaim(ports, { ...claim, isTagged: true }, version));
  }
}
