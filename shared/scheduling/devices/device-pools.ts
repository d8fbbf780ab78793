import { getOrCreate } from '../../model/memo.ts';
import {
  type CounterUse,
  type Device,
  type DeviceNodes,
  type DeviceSlice,
  selectNewestSlices,
} from '../../model/pods/devices.ts';
import { type Requirements, toRequirements } from '../../model/requirements/requirements.ts';

/** A device that can be allocated. */
export interface SuppliedDevice {
  /** Driver, pool and name; unique in the cluster. */
  readonly id: string;
  readonly driver: string;
  /** Driver and pool, to which its counters belong. */
  readonly pool: string;
  readonly device: Device;
  /**
   * The device as selectors see it. A predicted device has only the attributes that are certain.
   */
  readonly knownDevice: Device;
  readonly reach: DeviceNodes;
  /** True for a device of a node that does not exist yet. */
  readonly isPredicted?: true;
}

/** The ResourceSlices of one driver and pool, of the newest generation. */
export interface DevicePool {
  /** Driver and pool name. */
  readonly id: string;
  readonly driver: string;
  /**
   * True if all slices of the generation are present. kube-scheduler allocates nothing from an
   * incomplete pool.
   */
  readonly isComplete: boolean;
  readonly devices: readonly SuppliedDevice[];
  /** Shared counters of the devices, by `toCounterKey`. */
  readonly counters: ReadonlyMap<string, number>;
}

const toCounterKey = (pool: string, set: string, counter: string): string => `${pool} ${set} ${counter}`;

/** Lists what a device uses of its pool's counters, by `toCounterKey`. */
export const listCounterUses = (
  pool: string,
  uses: readonly CounterUse[] = [],
): (readonly [key: string, amount: number])[] =>
  uses.flatMap(({ set, counters }) =>
    Object.entries(counters).map(([counter, amount]) => [toCounterKey(pool, set, counter), amount] as const),
  );

// Slices change far less often than plans are made.
const poolsBySlices = new WeakMap<readonly DeviceSlice[], readonly DevicePool[]>();

/** Groups slices into pools, in the order in which kube-scheduler tries them. */
export function groupDevicePools(slices: readonly DeviceSlice[]): readonly DevicePool[] {
  return getOrCreate(poolsBySlices, slices, () => {
    const byPool = Map.groupBy(slices, ({ driver, pool }) => `${driver}/${pool}`);
    return [...byPool].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([id, poolSlices]) => createPool(id, poolSlices));
  });
}

function createPool(id: string, poolSlices: readonly DeviceSlice[]): DevicePool {
  const { slices: unsorted, isComplete } = selectNewestSlices(poolSlices);
  const slices = unsorted.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const counters = new Map<string, number>();
  for (const slice of slices) {
    for (const [set, amounts] of Object.entries(slice.counters)) {
      for (const [counter, amount] of Object.entries(amounts)) {
        counters.set(toCounterKey(id, set, counter), amount);
      }
    }
  }
  return {
    id,
    driver: slices[0]?.driver ?? '',
    isComplete,
    devices: slices.flatMap((slice) => listDevices(id, slice)),
    counters,
  };
}

function listDevices(pool: string, { driver, devices, reach }: DeviceSlice): DevicePool['devices'] {
  return devices.flatMap((device) => {
    const effectiveReach = device.reach ?? reach;
    if (effectiveReach === undefined) return [];
    const id = `${pool}/${device.name}`;
    return [{ id, driver, pool, device, knownDevice: device, reach: effectiveReach }];
  });
}

/**
 * Returns terms of which a node must meet any one to use the device; an empty list means every
 * node. Returns undefined if only the device's own node can use it.
 */
export const toNodeTerms = (reach: DeviceNodes): readonly Requirements[] | undefined => {
  if (reach === 'everywhere') return [];
  return 'node' in reach ? undefined : reach.nodeTerms.map(toRequirements);
};
