import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { INSTANCE_TYPE_LABEL, NODEPOOL_LABEL } from '../../../shared/model/labels.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { Device, DeviceClaim, DeviceSlice, Devices } from '../../../shared/model/pods/devices.ts';
import { matchesLabels, toRequirements } from '../../../shared/model/requirements/requirements.ts';
import type { FinalNode } from './final-nodes.ts';
import type { NodeVariant } from './node-variants.ts';

/** A device that some node can use. */
export interface UsableDevice {
  readonly key: string;
  readonly driver: string;
  readonly device: Device;
  /** The amount of each of its pool's counters. */
  readonly counters: Readonly<Record<string, number>>;
  readonly pool: string;
}

/** Lists every device that a node can use in a variant, in use or not. */
export function listUsableDevices(node: FinalNode, variant: NodeVariant, snapshot: ClusterSnapshot): UsableDevice[] {
  const { devices, nodes, claims } = snapshot;
  if (!devices) return [];
  const existing = nodes.find(({ name }) => name === node.name);
  const claim = claims.find(({ launch }) => launch && launch.providerId === existing?.providerId);
  const resolved = existing && (!claim || claim.initializedAt !== undefined);
  const reached = listCompleteSlices(devices).flatMap((slice) =>
    slice.devices
      .filter((device) => reaches(slice, device, resolved ? existing.name : '', variant))
      .map((device) => toUsableDevices(slice, device, slice.pool)),
  );
  return resolved ? reached : [...reached, ...listExpectedDevices(node, variant, snapshot, devices)];
}

function reaches(slice: DeviceSlice, device: Device, node: string, { labels }: NodeVariant): boolean {
  const reach = device.reach ?? slice.reach;
  if (reach === 'everywhere') return true;
  if (!reach) return false;
  if ('node' in reach) return reach.node === node;
  return reach.nodeTerms.some((term) => matchesLabels(toRequirements(term), labels));
}

/**
 * Lists the devices that nodes of the type have shown: for each driver those of the node with the
 * fewest.
 */
function listExpectedDevices(
  node: FinalNode,
  { labels }: NodeVariant,
  { nodes, claims }: ClusterSnapshot,
  devices: Devices,
): UsableDevice[] {
  const isLike = (one: Node): boolean =>
    one.labels[INSTANCE_TYPE_LABEL] === labels[INSTANCE_TYPE_LABEL] && isResolved(one);
  const isResolved = ({ providerId }: Node): boolean =>
    claims.every(({ launch, initializedAt }) => launch?.providerId !== providerId || initializedAt !== undefined);
  const alike = nodes.filter(isLike);
  const ofPool = alike.filter((one) => one.labels[NODEPOOL_LABEL] === labels[NODEPOOL_LABEL]);
  const shownBy = (shown: readonly Node[]) =>
    listCompleteSlices(devices).filter(
      ({ reach }) => typeof reach === 'object' && 'node' in reach && shown.some(({ name }) => name === reach.node),
    );
  const drivers = Map.groupBy(shownBy(alike), ({ driver }) => driver);
  return [...drivers].flatMap(([driver, all]) => {
    const own = shownBy(ofPool).filter((slice) => slice.driver === driver);
    const [poorest] = (own.length > 0 ? own : all).toSorted((a, b) => a.devices.length - b.devices.length);
    return (poorest?.devices ?? []).flatMap((device) =>
      poorest ? toUsableDevices(poorest, device, `${node.name} to come`) : [],
    );
  });
}

/** Lists the slices of the newest generation of complete pools. */
function listCompleteSlices({ slices }: Devices): readonly DeviceSlice[] {
  return slices.filter((slice) => {
    const same = slices.filter(({ driver, pool }) => driver === slice.driver && pool === slice.pool);
    const newest = same.filter(({ generation }) => same.every((one) => one.generation <= generation));
    return newest.includes(slice) && newest.length === slice.slicesInPool;
  });
}

const toUsableDevices = (slice: DeviceSlice, device: Device, pool: string): UsableDevice => ({
  key: `${slice.driver}|${pool}|${device.name}`,
  driver: slice.driver,
  device,
  pool: `${slice.driver}|${pool}`,
  counters: Object.fromEntries(
    Object.entries(slice.counters).flatMap(([set, counters]) =>
      Object.entries(counters).map(([name, amount]) => [`${set}|${name}`, amount]),
    ),
  ),
});

/** Lists the claims that stay allocated because a pod that stays uses them. */
export const listKeptClaims = ({ devices, pods }: ClusterSnapshot, nodes: readonly FinalNode[]): DeviceClaim[] => {
  const moving = new Set(nodes.flatMap(({ arriving }) => arriving.map(({ uid }) => uid)));
  const staying = new Set(
    pods
      .filter(
        ({ nodeName, deletionAt, phase, uid }) =>
          nodeName !== undefined &&
          deletionAt === undefined &&
          phase !== 'Succeeded' &&
          phase !== 'Failed' &&
          !moving.has(uid),
      )
      .map(({ uid }) => uid),
  );
  return (devices?.claims ?? []).filter(
    ({ allocation, holders }) => allocation && holders.some((uid) => staying.has(uid)),
  );
};
