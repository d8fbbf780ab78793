import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { resolveZoneIds } from '../model/offerings/zones.ts';
import { ownValue } from '../model/own-value.ts';
import type { EpochMs } from '../model/time.ts';
import type { ClusterObjects } from '../ports/cluster.ts';
import type { Ports } from '../ports/ports.ts';
import type { ListOptions } from '../ports/records.ts';
import { recoverCommit } from './commit/commit.ts';
import { findStandIns, readOrForbid } from './support/unreadable-records.ts';

type SnapshotPorts = Pick<
  Ports<'plan' | 'sweep'>,
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
 *
 * @param options - claims may be a second old if the decision checks them again when it commits
 */
export function observeCluster(ports: SnapshotPorts, options: ListOptions = {}): Promise<ClusterSnapshot> {
  const takenAt = ports.clock.now();
  return buildSnapshot(ports, takenAt, observeObjects(ports), readRecords(ports, options));
}

/**
 * The same in two steps, for a reader that looks several times before it needs the records: a list
 * of all claims is the largest part of the table's cost.
 */
export async function observeObjectsFirst(ports: SnapshotPorts): Promise<ObservedObjects> {
  const takenAt = ports.clock.now();
  const observed = await observeObjects(ports);
  return {
    takenAt,
    pods: observed.pods,
    ...(observed.owners && { owners: observed.owners }),
    ...(observed.quotas && { quotas: observed.quotas }),
    withRecords: () => buildSnapshot(ports, takenAt, Promise.resolve(observed), readRecords(ports, {})),
  };
}

export interface ObservedObjects extends Pick<ClusterSnapshot, 'takenAt' | 'pods' | 'owners' | 'quotas'> {
  /** Reads the records and completes the snapshot. */
  withRecords(): Promise<ClusterSnapshot>;
}

const observeObjects = ({ cluster, settings }: SnapshotPorts): Promise<ClusterObjects> =>
  cluster.observe({
    owners: true,
    services: settings?.defaultSpread !== undefined,
    devices: settings?.ignoreDraRequests === false,
  });

async function buildSnapshot(
  ports: SnapshotPorts,
  takenAt: EpochMs,
  observing: Promise<ClusterObjects>,
  reading: ReturnType<typeof readRecords>,
): Promise<ClusterSnapshot> {
  const [observed, { epoch, stored }, unavailable, nominated] = await Promise.all([
    observing,
    reading,
    ports.unavailableOfferings.list(takenAt),
    // Without its nominations a node that waits for pods looks empty.
    readOrForbid(() => ports.nominations.list(takenAt), ['remove']),
  ]);
  const { lastPodEventAt = {}, nodeClaims: _, nodeClassReadiness: __, ...objects } = observed;
  const { zoneIds, ...catalogue } = await ports.cloud.catalogue(objects.pools, objects.overlays);
  const { standIns, missing } = findStandIns(
    stored.unreadable,
    observed,
    catalogue.unpriced ? [] : catalogue.offerings,
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
    claims: [...stored.records.map(({ claim }) => withPodEvent(claim, lastPodEventAt)), ...standIns],
    unavailable,
    nominations: 'value' in nominated ? nominated.value : {},
    ...(unreadable.length > 0 && { unreadable }),
  };
}

async function readRecords(ports: SnapshotPorts, options: ListOptions) {
  // A commit that cannot be read may have bought capacity that no record shows yet.
  const epoch = await readOrForbid(() => recoverCommit(ports), ['launch', 'remove']);
  return { epoch, stored: await ports.nodeClaims.list(options) };
}

// An unchanged claim keeps its identity, because decisions cache by object.
const mergedClaims = new WeakMap<NodeClaim, NodeClaim>();

/** Takes the later pod event of record and cluster. */
function withPodEvent(claim: NodeClaim, lastPodEventAt: Readonly<Record<string, EpochMs>>): NodeClaim {
  const observed = claim.nodeName === undefined ? undefined : ownValue(lastPodEventAt, claim.nodeName);
  if (observed === undefined || observed <= (claim.lastPodEventAt ?? Number.NEGATIVE_INFINITY)) {
    return claim;
  }
  const last = mergedClaims.get(claim);
  if (last?.lastPodEventAt === observed) return last;
  const now = { ...claim, lastPodEventAt: observed };
  mergedClaims.set(claim, now);
  return now;
}
