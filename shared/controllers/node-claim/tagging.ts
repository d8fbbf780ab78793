import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { Ports } from '../../ports/ports.ts';
import { createReachabilityCheck } from '../zonal-shift/shifted-zones.ts';

/** One call per second, as in Karpenter, to leave the EC2 request quota to launches. */
const MAX_TAGGED_PER_SWEEP = 60;

/**
 * Tags instances with their claim and Node, for people reading EC2's console. A group launch cannot tag
 * them, because the assignment is known only afterwards. Existing names stay.
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
