import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { isTerminal } from '../../model/disruption-pods.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import { INSTANCE_TYPE_LABEL } from '../../model/labels.ts';
import type { Pod } from '../../model/pod.ts';
import type { Resources } from '../../model/resources.ts';
import type { AttachLimits, Storage } from '../../model/storage.ts';
import type { ExistingBin } from './existing-nodes.ts';
import { at, type ResourceColumns } from '../data-structures/resource-vectors.ts';
import { hasVolumes, storageIndex, wantedVolumes } from '../pods/storage-index.ts';

/**
 * Attached volumes are planned like a resource, one per CSI driver that has a limit somewhere: so
 * whatever fits pods on nodes keeps these limits too. The name is for people: "needs 30 volumes of
 * ebs.csi.aws.com".
 */
const PREFIX = 'volumes of ';
export const attachments = (driver: string): string => `${PREFIX}${driver}`;

/** Without what is only known while planning. */
export const withoutAttachments = (resources: Resources): Resources =>
  Object.fromEntries(Object.entries(resources).filter(([name]) => !name.startsWith(PREFIX)));

/** As much as nobody attaches, but a number that can be added to. */
const UNLIMITED = 1e6;

/** What is known of attach limits, for one decision. */
export interface LimitedDrivers {
  /** Those with a limit on some node. */
  readonly drivers: readonly string[];
  /** The lowest limit seen on a node of the type. */
  readonly byType: ReadonlyMap<string, AttachLimits>;
  /**
   * Claims, as `namespace/name`, that several pods use and none is charged for: every node keeps
   * `reserve` places for them instead.
   */
  readonly shared: ReadonlySet<string>;
  /** By driver. */
  readonly reserve: ReadonlyMap<string, number>;
}

/** With more of them each pod is charged: too much for pods that meet, but never too little. */
const MOST_SHARED = 8;

/** @returns undefined where no pod asks for a volume, or no driver has a limit */
export function limitedDrivers(snapshot: ClusterSnapshot): LimitedDrivers | undefined {
  const { storage, nodes } = snapshot;
  if (!storage) return undefined;
  const { drivers, byType } = learnLimits(storage, nodes);
  if (drivers.length === 0) return undefined;
  const users = snapshot.pods.filter((pod) => hasVolumes(pod) && !isTerminal(pod));
  return users.length > 0 ? { drivers, byType, ...sharedBy(users, storage) } : undefined;
}

type Learnt = Pick<LimitedDrivers, 'drivers' | 'byType'>;

const learnt = new WeakMap<Storage, { readonly nodes: unknown; readonly limits: Learnt }>();

/** Nodes of one type have one limit, unless somebody set the driver up anew: the lower one counts. */
function learnLimits(storage: Storage, nodes: ClusterSnapshot['nodes']): Learnt {
  const known = learnt.get(storage);
  if (known?.nodes === nodes) return known.limits;
  const typeOf = new Map(nodes.map(({ name, labels }) => [name, labels[INSTANCE_TYPE_LABEL]]));
  const byType = new Map<string, Record<string, number>>();
  const drivers = new Set<string>();
  for (const { name, attachLimits } of storage.drivers) {
    const type = typeOf.get(name);
    const ofType = byType.get(type ?? '') ?? {};
    for (const [driver, count] of Object.entries(attachLimits)) {
      drivers.add(driver);
      ofType[driver] = Math.min(ofType[driver] ?? Infinity, count);
    }
    if (type !== undefined) byType.set(type, ofType);
  }
  const limits = { drivers: [...drivers].toSorted(), byType };
  learnt.set(storage, { nodes, limits });
  return limits;
}

/** Claims of pods that wait, if another pod uses them too. */
function sharedBy(
  users: readonly Pod[],
  storage: Storage,
): Pick<LimitedDrivers, 'shared' | 'reserve'> {
  const pods = new Map<string, number>();
  const driverOf = new Map<string, string>();
  const waiting = new Set<string>();
  for (const pod of users) {
    for (const { key, driver } of countedVolumes(pod, storage)) {
      pods.set(key, (pods.get(key) ?? 0) + 1);
      driverOf.set(key, driver);
      if (pod.nodeName === undefined) waiting.add(key);
    }
  }
  const shared = new Set<string>();
  const reserve = new Map<string, number>();
  const candidates = [...waiting].filter((key) => (pods.get(key) ?? 0) > 1);
  for (const [driver, keys] of Map.groupBy(candidates, (key) => driverOf.get(key) ?? '')) {
    if (keys.length > MOST_SHARED) continue;
    reserve.set(driver, keys.length);
    for (const key of keys) shared.add(key);
  }
  return { shared, reserve };
}

interface CountedVolume {
  /** Of the claim: `namespace/name`. */
  readonly key: string;
  readonly driver: string;
}

/** The pod's volumes that a CSI driver attaches; what cannot be found is not counted. */
export const countedVolumes = (pod: Pod, storage: Storage): CountedVolume[] =>
  wantedVolumes(pod).flatMap((wanted) => {
    const found = storageIndex(storage).find(pod.namespace, wanted);
    return found.outcome === 'found' && found.driver !== undefined
      ? [{ key: `${pod.namespace}/${wanted.claim}`, driver: found.driver }]
      : [];
  });

// Lists of types stay one object for hours, and indexes are kept by list.
const extended = new WeakMap<
  readonly InstanceType[],
  { readonly limits: string; readonly list: readonly InstanceType[] }
>();

/** The same snapshot, with instance types that say how many volumes they attach. */
export function withAttachLimits(
  snapshot: ClusterSnapshot,
  limits: LimitedDrivers | undefined,
): ClusterSnapshot {
  if (!limits) return snapshot;
  const text = JSON.stringify([limits.drivers, ...limits.byType, ...limits.reserve]);
  const instanceTypes = Object.fromEntries(
    Object.entries(snapshot.instanceTypes).map(([pool, list]) => {
      const known = extended.get(list);
      if (known?.limits === text) return [pool, known.list];
      const attaching = list.map((type) => withLimits(type, limits));
      extended.set(list, { limits: text, list: attaching });
      return [pool, attaching];
    }),
  );
  return { ...snapshot, instanceTypes };
}

function withLimits(
  type: InstanceType,
  { drivers, byType, reserve }: LimitedDrivers,
): InstanceType {
  const known = byType.get(type.name);
  const more = Object.fromEntries(
    drivers.map((driver) => [
      attachments(driver),
      Math.max(0, (known?.[driver] ?? UNLIMITED) - (reserve.get(driver) ?? 0)),
    ]),
  );
  return { ...type, allocatable: { ...type.allocatable, ...more } };
}

/** Bins with the room for volumes that is left on each. */
export function withAttachments(
  bins: readonly ExistingBin[],
  snapshot: ClusterSnapshot,
  columns: ResourceColumns,
  limits: LimitedDrivers | undefined,
): readonly ExistingBin[] {
  const { storage } = snapshot;
  if (!limits || !storage) return bins;
  const ofNode = new Map(storage.drivers.map(({ name, attachLimits }) => [name, attachLimits]));
  return bins.map((bin) => {
    const type = bin.labels[INSTANCE_TYPE_LABEL] ?? bin.claim?.launch?.instanceType ?? '';
    // A node whose drivers have not come up yet will be like others of its type.
    const own = { ...limits.byType.get(type), ...(bin.node ? ofNode.get(bin.node.name) : {}) };
    const attached = attachedOn(bin, storage);
    const [allocatable, free] = [bin.allocatable.slice(), bin.free.slice()];
    for (const driver of limits.drivers) {
      const column = columns.indexOf.get(attachments(driver));
      if (column === undefined) continue;
      const here = attached.get(driver) ?? new Set<string>();
      const atHand = [...limits.shared].filter((key) => here.has(key)).length;
      const kept = Math.max(0, (limits.reserve.get(driver) ?? 0) - atHand);
      allocatable[column] = own[driver] ?? UNLIMITED;
      free[column] = at(allocatable, column) - here.size - kept;
    }
    return { ...bin, allocatable, free };
  });
}

// Between two decisions most nodes are the same objects with the same pods.
const onBin = new WeakMap<
  ExistingBin,
  { readonly storage: Storage; readonly attached: ReturnType<typeof attachedTo> }
>();

function attachedOn(bin: ExistingBin, storage: Storage): ReturnType<typeof attachedTo> {
  const known = onBin.get(bin);
  if (known?.storage === storage) return known.attached;
  const attached = attachedTo(bin.pods, storage);
  onBin.set(bin, { storage, attached });
  return attached;
}

/** Claims in use by driver: one that several pods share is attached once. */
function attachedTo(pods: readonly Pod[], storage: Storage): ReadonlyMap<string, Set<string>> {
  const attached = new Map<string, Set<string>>();
  for (const pod of pods) {
    for (const { key, driver } of hasVolumes(pod) ? countedVolumes(pod, storage) : []) {
      attached.set(driver, (attached.get(driver) ?? new Set()).add(key));
    }
  }
  return attached;
}
