import {
  type CounterUse,
  type Device,
  type DeviceReach,
  type DeviceSlice,
  newestSlices,
} from '../../model/devices.ts';
import { type Requirements, toRequirements } from '../../model/requirements.ts';

/** A device that can be allocated. */
export interface ShelfDevice {
  /** Driver, pool and name: no other device has it. */
  readonly id: string;
  readonly driver: string;
  /** Driver and pool: what its counters belong to. */
  readonly pool: string;
  readonly device: Device;
  /** What selectors are asked about; of a device to come, only what is sure. */
  readonly sure: Device;
  readonly reach: DeviceReach;
  /** Its node is still to come. */
  readonly isComing?: true;
}

/** Slices of one driver that belong together, of the newest generation. */
export interface DevicePool {
  /** Driver and name. */
  readonly id: string;
  readonly driver: string;
  /** All of its slices are there; nothing is allocated from others, for they are being changed. */
  readonly complete: boolean;
  readonly devices: readonly ShelfDevice[];
  /** What its devices share, by `counterKey`. */
  readonly counters: ReadonlyMap<string, number>;
}

const counterKey = (pool: string, set: string, counter: string): string =>
  `${pool} ${set} ${counter}`;

/** What a device takes of its pool's counters, by `counterKey`. */
export const counterUses = (
  pool: string,
  uses: readonly CounterUse[] = [],
): (readonly [key: string, amount: number])[] =>
  uses.flatMap(({ set, counters }) =>
    Object.entries(counters).map(
      ([counter, amount]) => [counterKey(pool, set, counter), amount] as const,
    ),
  );

// Slices change far more rarely than plans are made.
const grouped = new WeakMap<readonly DeviceSlice[], readonly DevicePool[]>();

/** The pools that slices make up, in the order in which kube-scheduler goes through them. */
export function devicePools(slices: readonly DeviceSlice[]): readonly DevicePool[] {
  const known = grouped.get(slices);
  if (known) return known;
  const byPool = Map.groupBy(slices, ({ driver, pool }) => `${driver}/${pool}`);
  const pools = [...byPool]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, all]) => poolOf(id, all));
  grouped.set(slices, pools);
  return pools;
}

function poolOf(id: string, all: readonly DeviceSlice[]): DevicePool {
  const { slices: unsorted, complete } = newestSlices(all);
  const slices = unsorted.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const counters = new Map<string, number>();
  for (const slice of slices) {
    for (const [set, amounts] of Object.entries(slice.counters)) {
      for (const [counter, amount] of Object.entries(amounts)) {
        counters.set(counterKey(id, set, counter), amount);
      }
    }
  }
  return {
    id,
    driver: slices[0]?.driver ?? '',
    complete,
    devices: slices.flatMap((slice) => devicesOf(id, slice)),
    counters,
  };
}

function devicesOf(pool: string, { driver, devices, reach }: DeviceSlice): DevicePool['devices'] {
  return devices.flatMap((device) => {
    const from = device.reach ?? reach;
    if (from === undefined) return [];
    const id = `${pool}/${device.name}`;
    return [{ id, driver, pool, device, sure: device, reach: from }];
  });
}

/** Nodes that can use a device: any of these, all if none is named. Undefined: only its own. */
export const termsOf = (reach: DeviceReach): readonly Requirements[] | undefined => {
  if (reach === 'everywhere') return [];
  return 'node' in reach ? undefined : reach.nodeTerms.map(toRequirements);
};
