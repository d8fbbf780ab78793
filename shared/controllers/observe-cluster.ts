import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { resolveZoneIds } from '../model/offerings/zones.ts';
import { ownValue } from '../model/own-value.ts';
import type { EpochMs } from '../model/time.ts';
import type { Ports } from '../ports/ports.ts';
import { recoverCommit } from './commit/commit.ts';
import { findStandIns, readOrForbid } from './support/unreadable-records.ts';

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
  const [observed, { epoch, stored }, unavailable, nominated] = await Promise.all([
    ports.cluster.observe({
      owners: true,
      services: ports.settings?.defaultSpread !== undefined,
      devices: ports.settings?.ignoreDraRequests === false,
    }),
    readRecords(ports),
    ports.unavailableOfferings.list(takenAt),
    // Without its nominations a node that waits for pods looks empty.
    readOrForbid(() => ports.nominations.list(takenAt), ['remove']),
  ]);
  const { lastPodEventAt = {}, nodeClaims: _, nodeClassReadiness: __, ...objects } = observed;
  const { zoneIds, ...catalogue } = await ports.cloud.catalogue(objects.pools, objects.overlays);
  const { standIns, missing } = findStandIns(
    stored.unreadable ?? [],
    observed,
    catalogue.offerings,
  );
  const unreadable = [
    ...(objects.unreadable ?? []),
    ...('missing' in epoch ? [epoch.missing] : []),
    ...('missing' in nominated ? [nominated.missing] : []),
    ...missing,
  ];

  return {
    ...resolveZoneIds(objects, zoneIds),
    ...catalogue,
    takenAt,
    ...(ports.settings && { settings: ports.settings }),
    ...('value' in epoch && { epoch: epoch.value }),
    claims: [...stored.map(({ claim }) => withPodEvent(claim, lastPodEventAt)), ...standIns],
    unavailable,
    nominations: 'value' in nominated ? nominated.value : {},
    ...(unreadable.length > 0 && { unreadable }),
  };
}

async function readRecords(ports: SnapshotPorts) {
  // A commit that cannot be read may have bought capacity that no record shows yet.
  const epoch = await readOrForbid(() => recoverCommit(ports), ['launch', 'remove']);
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
