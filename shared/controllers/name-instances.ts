import type { NodeClaim } from '../model/node-claim.ts';
import type { Instance } from '../ports/cloud.ts';
import type { Ports } from '../ports/ports.ts';

/** Of EC2's request buckets little is taken: one call a second, as Karpenter makes them. */
const MOST_A_MINUTE = 60;

/**
 * Writes on instances which claim and Node they became, for whoever looks at EC2. They were launched
 * together, before anybody knew. A name that somebody gave one stays.
 */
export async function nameInstances(
  { cloud }: Pick<Ports, 'cloud'>,
  claims: readonly NodeClaim[],
  instances: readonly Instance[],
): Promise<void> {
  const running = new Map(instances.map((instance) => [instance.providerId, instance]));
  const nameless = claims.flatMap(({ name: claim, launch, nodeName, deletingAt }) => {
    const instance = running.get(launch?.providerId ?? '');
    if (!instance || nodeName === undefined || deletingAt !== undefined) return [];
    if (instance.claim === claim && instance.name !== undefined) return [];
    const { providerId, name = nodeName } = instance;
    return [{ providerId, names: { claim, name } }];
  });
  for (const { providerId, names } of nameless.slice(0, MOST_A_MINUTE)) {
    await cloud.nameInstance(providerId, names);
  }
}
