import { matchesLabels, type Requirements } from '../../model/requirements/requirements.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import { onceRunning } from '../input/memo.ts';
import type { DeviceSupply } from './allocate-devices.ts';
import { type DevicePool, groupDevicePools, toNodeTerms } from './device-pools.ts';
import { createPredictedDevices, type PredictedDevices } from './predicted-devices.ts';

/** Devices of the cluster that several nodes can use, with where that is. */
export interface SharedDevicePool {
  readonly pool: DevicePool;
  /** Any one of these must hold; none at all: everywhere. Beside each of the pool's devices. */
  readonly terms: readonly (readonly Requirements[] | undefined)[];
}

/** The devices that there are, and those that new nodes will have: the same for a whole problem. */
export interface DeviceInventory {
  /** Of nodes, by name. */
  readonly local: ReadonlyMap<string, readonly DevicePool[]>;
  readonly sharedPools: readonly SharedDevicePool[];
  readonly predicted: PredictedDevices;
  /** What an initialized node can use. */
  getSupply(bin: ExistingBin): DeviceSupply;
}

/** Nodes that are looked at as if they were gone tell as well what their types have. */
export const getDeviceInventory = onceRunning(({ running, snapshot }): DeviceInventory => {
  const pools = groupDevicePools(snapshot.devices?.slices ?? []);
  const local = groupLocalPools(pools);
  const sharedPools = pools.flatMap((pool) => {
    const terms = pool.devices.map(({ reach }) => toNodeTerms(reach));
    return terms.some((one) => one !== undefined) ? [{ pool, terms }] : [];
  });
  const supplies = new Map<ExistingBin, DeviceSupply>();
  return {
    local,
    sharedPools,
    predicted: createPredictedDevices(running, local),
    getSupply(bin) {
      const cached = supplies.get(bin) ?? createSupply(bin, local, sharedPools);
      supplies.set(bin, cached);
      return cached;
    },
  };
});

function groupLocalPools(pools: readonly DevicePool[]): ReadonlyMap<string, readonly DevicePool[]> {
  const local = new Map<string, DevicePool[]>();
  for (const pool of pools) {
    const byNode = Map.groupBy(pool.devices, ({ reach }) =>
      typeof reach === 'object' && 'node' in reach ? reach.node : undefined,
    );
    for (const [node, devices] of byNode) {
      if (node === undefined) continue;
      local.set(node, [...(local.get(node) ?? []), { ...pool, devices }]);
    }
  }
  return local;
}

function createSupply(
  bin: ExistingBin,
  local: DeviceInventory['local'],
  sharedPools: readonly SharedDevicePool[],
): DeviceSupply {
  const own = local.get(bin.node?.name ?? '') ?? [];
  const reached = listReachableDevices(sharedPools, (terms) =>
    terms.some((term) => matchesLabels(term, bin.labels)),
  );
  return toSupply([...reached, ...own]);
}

/** What of spread pools can be used from somewhere. */
export const listReachableDevices = (
  sharedPools: readonly SharedDevicePool[],
  isMet: (terms: readonly Requirements[]) => boolean,
): readonly DevicePool[] =>
  sharedPools.flatMap(({ pool, terms }) => {
    const devices = pool.devices.filter((_, at) => {
      const ofDevice = terms[at];
      return ofDevice !== undefined && (ofDevice.length === 0 || isMet(ofDevice));
    });
    return devices.length > 0 ? [{ ...pool, devices }] : [];
  });

export function toSupply(pools: readonly DevicePool[]): DeviceSupply {
  const complete = pools.filter((pool) => pool.complete);
  return {
    devices: complete.flatMap(({ devices }) => devices),
    counters: new Map(complete.flatMap(({ counters }) => [...counters])),
    isIncomplete: complete.length < pools.length,
  };
}
