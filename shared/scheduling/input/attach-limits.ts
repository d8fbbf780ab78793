import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { INSTANCE_TYPE_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { AttachLimits, Storage } from '../../model/pods/storage.ts';
import type { Resources } from '../../model/resources.ts';
import { at, type ResourceColumns } from '../data-structures/resource-vectors.ts';
import { getStorageIndex, hasVolumes, listVolumeReferences } from '../pods/storage-index.ts';
import type { ExistingNode } from './existing-nodes.ts';
import type { PlanningSnapshot, SnapshotWithDaemonSets, SnapshotWithReservations } from './snapshot-stages.ts';

/**
 * Attached volumes are planned as a resource, one per CSI driver that has a limit on some node. So
 * all code that fits pods on nodes also keeps these limits. The resource name appears in messages:
 * "needs 30 volumes of ebs.csi.aws.com".
 */
const PREFIX = 'volumes of ';
export const toAttachmentResource = (driver: string): string => `${PREFIX}${driver}`;

/** Removes the attachment resources, which exist only while planning. */
export const withoutAttachments = (resources: Resources): Resources =>
  Object.fromEntries(Object.entries(resources).filter(([name]) => !name.startsWith(PREFIX)));

/** More volumes than any node attaches; finite, so that it can be used in sums. */
const UNLIMITED = 1e6;

/** The attach limits of one decision. */
export interface AttachLimitsByType {
  /** CSI drivers that have a limit on some node. */
  readonly drivers: readonly string[];
  /** The lowest limit observed on nodes of each instance type. */
  readonly byType: ReadonlyMap<string, AttachLimits>;
  /**
   * Claims (`namespace/name`) that several pods use. They are not charged to these pods; every node
   * keeps `reserve` attachments free for them instead.
   */
  readonly shared: ReadonlySet<string>;
  /** Reserved attachments by driver. */
  readonly reserve: ReadonlyMap<string, number>;
}

/**
 * With more shared claims each pod is charged for them: too much for pods that share a node, but
 * never too little.
 */
const MAX_SHARED_CLAIMS = 8;

/**
 * @returns undefined if no pod has volumes or no driver has a limit
 */
export function findAttachLimits(snapshot: SnapshotWithDaemonSets, storage: Storage): AttachLimitsByType | undefined {
  const { drivers, byType } = observeLimits(storage, snapshot.nodes);
  if (drivers.length === 0) return undefined;
  const podsWithVolumes = snapshot.pods.filter((pod) => hasVolumes(pod) && !isTerminal(pod));
  return podsWithVolumes.length > 0 ? { drivers, byType, ...findSharedClaims(podsWithVolumes, storage) } : undefined;
}

type ObservedLimits = Pick<AttachLimitsByType, 'drivers' | 'byType'>;

const limitsByStorage = new WeakMap<Storage, { readonly nodes: unknown; readonly limits: ObservedLimits }>();

/**
 * Nodes of one type have one limit, unless the driver was reconfigured; then the lower limit
 * applies.
 */
function observeLimits(storage: Storage, nodes: ClusterSnapshot['nodes']): ObservedLimits {
  const cached = limitsByStorage.get(storage);
  if (cached?.nodes === nodes) return cached.limits;
  const typeByNode = new Map(nodes.map(({ name, labels }) => [name, labels[INSTANCE_TYPE_LABEL]]));
  const byType = new Map<string, Record<string, number>>();
  const drivers = new Set<string>();
  for (const { name, attachLimits } of storage.drivers) {
    const type = typeByNode.get(name);
    const limitsOfType = byType.get(type ?? '') ?? {};
    for (const [driver, count] of Object.entries(attachLimits)) {
      drivers.add(driver);
      limitsOfType[driver] = Math.min(ownValue(limitsOfType, driver) ?? Infinity, count);
    }
    if (type !== undefined) byType.set(type, limitsOfType);
  }
  const limits = { drivers: [...drivers].toSorted(), byType };
  limitsByStorage.set(storage, { nodes, limits });
  return limits;
}

/** Finds the claims of waiting pods that other pods use too. */
function findSharedClaims(
  podsWithVolumes: readonly Pod[],
  storage: Storage,
): Pick<AttachLimitsByType, 'shared' | 'reserve'> {
  const podCounts = new Map<string, number>();
  const driverByClaim = new Map<string, string>();
  const pendingClaims = new Set<string>();
  for (const pod of podsWithVolumes) {
    for (const { key, driver } of listAttachedVolumes(pod, storage)) {
      podCounts.set(key, (podCounts.get(key) ?? 0) + 1);
      driverByClaim.set(key, driver);
      if (pod.nodeName === undefined) pendingClaims.add(key);
    }
  }
  const shared = new Set<string>();
  const reserve = new Map<string, number>();
  const candidates = [...pendingClaims].filter((key) => (podCounts.get(key) ?? 0) > 1);
  for (const [driver, keys] of Map.groupBy(candidates, (key) => driverByClaim.get(key) ?? '')) {
    if (keys.length > MAX_SHARED_CLAIMS) continue;
    reserve.set(driver, keys.length);
    for (const key of keys) shared.add(key);
  }
  return { shared, reserve };
}

interface AttachedVolume {
  /** The claim as `namespace/name`. */
  readonly key: string;
  readonly driver: string;
}

/**
 * Lists the pod's volumes that a CSI driver attaches. Volumes that cannot be resolved are not
 * counted.
 */
export const listAttachedVolumes = (pod: Pod, storage: Storage): AttachedVolume[] =>
  listVolumeReferences(pod).flatMap((volume) => {
    const resolution = getStorageIndex(storage).find(pod.namespace, volume);
    return resolution.outcome === 'found' && resolution.driver !== undefined
      ? [{ key: `${pod.namespace}/${volume.claim}`, driver: resolution.driver }]
      : [];
  });

// Lists of types stay the same object for hours, and indexes are cached by list.
const extendedLists = new WeakMap<
  readonly InstanceType[],
  { readonly limits: string; readonly list: readonly InstanceType[] }
>();

/** Adds to each instance type the number of volumes of each driver that it attaches. */
export function addAttachLimits(snapshot: SnapshotWithReservations, limits: AttachLimitsByType): PlanningSnapshot {
  const text = JSON.stringify([limits.drivers, ...limits.byType, ...limits.reserve]);
  const instanceTypes = Object.fromEntries(
    Object.entries(snapshot.instanceTypes).map(([pool, list]) => {
      const cached = extendedLists.get(list);
      if (cached?.limits === text) return [pool, cached.list];
      const extendedTypes = list.map((type) => withLimits(type, limits));
      extendedLists.set(list, { limits: text, list: extendedTypes });
      return [pool, extendedTypes];
    }),
  );
  return { ...snapshot, instanceTypes, stage: 'planning' };
}

function withLimits(type: InstanceType, { drivers, byType, reserve }: AttachLimitsByType): InstanceType {
  const limitByDriver = byType.get(type.name);
  const attachable = Object.fromEntries(
    drivers.map((driver) => [
      toAttachmentResource(driver),
      Math.max(0, (ownValue(limitByDriver, driver) ?? UNLIMITED) - (reserve.get(driver) ?? 0)),
    ]),
  );
  return { ...type, allocatable: { ...type.allocatable, ...attachable } };
}

/** Adds to each node the volumes that it can still attach. */
export function withAttachments(
  existingNodes: readonly ExistingNode[],
  storage: Storage,
  columns: ResourceColumns,
  limits: AttachLimitsByType,
): readonly ExistingNode[] {
  const limitsByNode = new Map(storage.drivers.map(({ name, attachLimits }) => [name, attachLimits]));
  return existingNodes.map((existingNode) => {
    const type = existingNode.labels[INSTANCE_TYPE_LABEL] ?? existingNode.claim?.launch?.instanceType ?? '';
    // A node whose drivers are not registered yet gets the limits of its instance type.
    const nodeLimits = {
      ...limits.byType.get(type),
      ...(existingNode.node && limitsByNode.get(existingNode.node.name)),
    };
    const attached = findAttachedVolumes(existingNode, storage);
    const [allocatable, free] = [existingNode.allocatable.slice(), existingNode.free.slice()];
    for (const driver of limits.drivers) {
      const column = columns.indexOf.get(toAttachmentResource(driver));
      if (column === undefined) continue;
      const attachedHere = attached.get(driver) ?? new Set<string>();
      const sharedHere = [...limits.shared].filter((key) => attachedHere.has(key)).length;
      const reserved = Math.max(0, (limits.reserve.get(driver) ?? 0) - sharedHere);
      allocatable[column] = ownValue(nodeLimits, driver) ?? UNLIMITED;
      free[column] = at(allocatable, column) - attachedHere.size - reserved;
    }
    return { ...existingNode, allocatable, free };
  });
}

// Between two decisions most nodes are the same objects with the same pods.
const attachedByNode = new WeakMap<ExistingNode, WeakMap<Storage, ReturnType<typeof groupByDriver>>>();

const findAttachedVolumes = (existingNode: ExistingNode, storage: Storage): ReturnType<typeof groupByDriver> =>
  getOrCreate(
    getOrCreate(attachedByNode, existingNode, () => new WeakMap()),
    storage,
    () => groupByDriver(existingNode.pods, storage),
  );

/** Groups attached claims by driver. A claim that several pods share is attached once. */
function groupByDriver(podCounts: readonly Pod[], storage: Storage): ReadonlyMap<string, Set<string>> {
  const attached = new Map<string, Set<string>>();
  for (const pod of podCounts) {
    for (const { key, driver } of hasVolumes(pod) ? listAttachedVolumes(pod, storage) : []) {
      attached.set(driver, (attached.get(driver) ?? new Set()).add(key));
    }
  }
  return attached;
}
