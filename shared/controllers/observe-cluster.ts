import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { resolveZoneIds } from '../model/offerings/zones.ts';
import { ownValue } from '../model/own-value.ts';
import type { EpochMs } from '../model/time.ts';
import type { Ports } from '../ports/ports.ts';
import { recoverCommit } from './commit/commit.ts';

type SnapshotPorts = Pick<
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
 * Reads the snapshot that a decision may use. Objects are passed on without copies, so that an
 * unchanged cluster costs nothing.
 */
export async function observeCluster(ports: SnapshotPorts): Promise<ClusterSnapshot> {
  const takenAt = ports.clock.now();
  const [observed, { epoch, stored }, unavailable, nominations] = await Promise.all([
    ports.cluster.observe({
      owners: true,
      services: ports.settings?.defaultSpread !== undefined,
      devices: ports.settings?.ignoreDraRequests === false,
    }),
    readRecords(ports),
    ports.unavailableOfferings.list(takenAt),
    ports.nominations.list(takenAt),
  ]);
  const { lastPodEventAt = {}, nodeClaims: _, nodeClassReadiness: __, ...objects } = observed;
  const { zoneIds, ...catalogue } = await ports.cloud.catalogue(objects.pools, objects.overlays);

  return {
    ...resolveZoneIds(objects, zoneIds),
    ...catalogue,
    takenAt,
    ...(ports.settings && { settings: ports.settings }),
    epoch,
    claims: stored.map(({ claim }) => withPodEvent(claim, lastPodEventAt)),
    unavailable,
    nominations,
  };
}

async function readRecords(ports: SnapshotPorts) {
  const epoch = await recoverCommit(ports);
  return { epoch, stored: await ports.nodeClaims.list() };
}

// An unchanged claim keeps its identity, because decisions cache by object.
const mergedClaims = new WeakMap<NodeClaim, NodeClaim>();

/** Takes the later pod event of record and cluster. */
function withPodEvent(
  claim: NodeClaim,
  lastPodEventAt: Readonly<Record<string, EpochMs>>,
): NodeClaim {
  const observed =
    claim.nodeName === undefined ? undefined : ownValue(lastPodEventAt, claim.nodeName);
  if (observed === undefined || observed <= (claim.lastPodEventAt ?? Number.NEGATIVE_INFINITY)) {
    return claim;
  }
  const last = mergedClaims.get(claim);
  if (last?.lastPodEventAt === observed) return last;
  const now = { ...claim, lastPodEventAt: observed };
  mergedClaims.set(claim, now);
  return now;
}
