import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { EpochMs } from '../model/time.ts';
import { namedZones } from '../model/zone-ids.ts';
import type { Ports } from '../ports/ports.ts';
import { settleCommit } from './commit/commit.ts';

type Sources = Pick<
  Ports,
  | 'clock'
  | 'cluster'
  | 'cloud'
  | 'nodeClaims'
  | 'commits'
  | 'commands'
  | 'nominations'
  | 'unavailableOfferings'
  | 'queue'
  | 'settings'
>;

/**
 * Everything that a decision may look at. What the ports hand out goes in as it is: an unchanged
 * cluster costs no copy of its pods.
 */
export async function observe(ports: Sources): Promise<ClusterSnapshot> {
  const takenAt = ports.clock.now();
  const [seen, { epoch, stored }, unavailable, nominations] = await Promise.all([
    ports.cluster.observe({
      owners: true,
      services: ports.settings?.defaultSpread !== undefined,
      devices: ports.settings?.ignoreDraRequests === false,
    }),
    settledRecords(ports),
    ports.unavailableOfferings.list(takenAt),
    ports.nominations.list(takenAt),
  ]);
  const { lastPodEventAt = {}, nodeClaims: _, ...objects } = seen;
  const { zoneIds, ...catalogue } = await ports.cloud.catalogue(objects.pools, objects.overlays);

  return {
    ...namedZones(objects, zoneIds),
    ...catalogue,
    takenAt,
    ...(ports.settings && { settings: ports.settings }),
    epoch,
    claims: stored.map(({ claim }) => withPodEvent(claim, lastPodEventAt)),
    unavailable,
    nominations,
  };
}

async function settledRecords(ports: Sources) {
  const epoch = await settleCommit(ports);
  return { epoch, stored: await ports.nodeClaims.list() };
}

// A claim stays one object while nothing happens on its node: what decisions remember of it stays true.
const merged = new WeakMap<NodeClaim, NodeClaim>();

/** The later of what the record and what the cluster knows. */
function withPodEvent(
  claim: NodeClaim,
  lastPodEventAt: Readonly<Record<string, EpochMs>>,
): NodeClaim {
  const seen = claim.nodeName === undefined ? undefined : lastPodEventAt[claim.nodeName];
  if (seen === undefined || seen <= (claim.lastPodEventAt ?? Number.NEGATIVE_INFINITY)) {
    return claim;
  }
  const last = merged.get(claim);
  if (last?.lastPodEventAt === seen) return last;
  const now = { ...claim, lastPodEventAt: seen };
  merged.set(claim, now);
  return now;
}
