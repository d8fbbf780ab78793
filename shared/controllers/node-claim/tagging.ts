import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { Ports } from '../../ports/ports.ts';
import { createReachabilityCheck } from '../zonal-shift/shifted-zones.ts';

/** Of EC2's request buckets little is taken: one call a second, as Karpenter makes them. */
const MAX_TAGGED_PER_SWEEP = 60;

/**
 * Writes on instances which claim and Node they became, for whoever looks at EC2. They were launched
 * together, before anybody knew. A name that somebody gave one stays.
 */
export async function tagInstances(
  ports: Pick<Ports, 'cloud' | 'clock' | 'zonalShifts'>,
  claims: readonly NodeClaim[],
  instances: readonly Instance[],
): Promise<void> {
  const isWithinReach = await createReachabilityCheck(ports);
  const running = new Map(instances.map((instance) => [instance.providerId, instance]));
  const untagged = claims.flatMap(({ name: claim, launch, nodeName, deletingAt }) => {
    const instance = running.get(launch?.providerId ?? '');
    if (!instance || nodeName === undefined || deletingAt !== undefined) return [];
    if (!isWithinReach(instance.providerId)) return [];
    const names = {
      ...(instance.claim !== claim && { claim }),
      ...(instance.name === undefined && { name: nodeName }),
    };
    return Object.keys(names).length > 0 ? [{ providerId: instance.providerId, names }] : [];
  });
  for (const { providerId, names } of untagged.slice(0, MAX_TAGGED_PER_SWEEP)) {
    await ports.cloud.nameInstance(providerId, names);
  }
}
