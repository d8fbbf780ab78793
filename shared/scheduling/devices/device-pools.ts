import {
  type CounterUse,
  type Device,
  type DeviceReach,
  type DeviceSlice,
  newestSlices,
} from '../../model/pods/devices.ts';
import { type Requirements, toRequirements } from '../../model/requirements/requirements.ts';

/** A device that can be allocated. */
export interface SuppliedDevice {
  /** Driver, pool and name: no other device has it. */
  readonly id: string;
  readonly driver: string;
  /** Driver and pool: what its counters belong to. */
  readonly pool: string;
  readonly device: Device;
  /** What selectors are asked about; of a device to come, only what is sure. */
  readonly knownDevice: Device;
  readonly reach: DeviceReach;
  /** Its node is still to come. */
  readonly isPredicted?: true;
}

/** Slices of one driver that belong together, of the newest generation. */
export interface DevicePool {
  /** Driver and name. */
  readonly id: string;
  readonly driver: string;
  /** All of its slices are there; nothing is allocated from others, for they are being changed. */
  readonly complete: boolean;
  readonly devices: readonly SuppliedDevice[];
  /** What its devices share, by `toCounterKey`. */
  readonly counters: ReadonlyMap<string, number>;
}

const toCounterKey = (pool: string, set: string, counter: string): string =>
  `${pool} ${set} ${counter}`;

/** What a device takes of its pool's counters, by `toCounterKey`. */
export const listCounterUses = (
  pool: string,
  uses: readonly CounterUse[] = [],
): (readonly [key: string, amount: number])[] =>
  uses.flatMap(({ set, counters }) =>
    Object.entries(counters).map(
      ([counter, amount]) => [toCounterKey(pool, set, counter), amount] as const,
    ),
  );

// Slices change far more rarely than plans are made.
const poolsBySlices = new WeakMap<readonly DeviceSlice[], readonly DevicePool[]>();

/** The pools that slices make up, in the order in which kube-scheduler goes through them. */
export function groupDevicePools(slices: readonly DeviceSlice[]): readonly DevicePool[] {
  const cached = poolsBySlices.get(slices);
  if (cached) return cached;
  const byPool = Map.groupBy(slices, ({ driver, pool }) => `${driver}/${pool}`);
  const pools = [...byPool]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, poolSlices]) => createPool(id, poolSlices));
  poolsBySlices.set(slices, pools);
  return pools;
}

function createPool(id: string, poolSlices: readonly DeviceSlice[]): DevicePool {
  const { slices: unsorted, complete } = newestSlices(poolSlices);
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
    complete,
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

/** Nodes that can use a device: any of these, all if none is named. Undefined: only its own. */
export const toNodeTerms = (reach: DeviceReach): readonly Requirements[] | undefined => {
  if (reach === 'everywhere') return [];
  return 'node' in reach ? undefined : reach.nodeTerms.map(toRequirements);
};
