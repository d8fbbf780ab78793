import { matchesLabels, type Requirements } from '../../model/requirements.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import { onceRunning } from '../input/memo.ts';
import type { Shelf } from './allocate-devices.ts';
import { type ComingDevices, comingDevices } from './predicted-devices.ts';
import { type DevicePool, devicePools, termsOf } from './device-pools.ts';

/** Devices of the cluster that several nodes can use, with where that is. */
export interface SpreadPool {
  readonly pool: DevicePool;
  /** Any one of these must hold; none at all: everywhere. Beside each of the pool's devices. */
  readonly terms: readonly (readonly Requirements[] | undefined)[];
}

/** The devices that there are, and those that new nodes will have: the same for a whole problem. */
export interface DeviceFacts {
  /** Of nodes, by name. */
  readonly local: ReadonlyMap<string, readonly DevicePool[]>;
  readonly spread: readonly SpreadPool[];
  readonly coming: ComingDevices;
  /** What an initialized node can use. */
  shelfOf(bin: ExistingBin): Shelf;
}

/** Nodes that are looked at as if they were gone tell as well what their types have. */
export const deviceFacts = onceRunning(({ running, snapshot }): DeviceFacts => {
  const pools = devicePools(snapshot.devices?.slices ?? []);
  const local = localPools(pools);
  const spread = pools.flatMap((pool) => {
    const terms = pool.devices.map(({ reach }) => termsOf(reach));
    return terms.some((one) => one !== undefined) ? [{ pool, terms }] : [];
  });
  const shelves = new Map<ExistingBin, Shelf>();
  return {
    local,
    spread,
    coming: comingDevices(running, local),
    shelfOf(bin) {
      const known = shelves.get(bin) ?? makeShelf(bin, local, spread);
      shelves.set(bin, known);
      return known;
    },
  };
});

function localPools(pools: readonly DevicePool[]): ReadonlyMap<string, readonly DevicePool[]> {
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

function makeShelf(
  bin: ExistingBin,
  local: DeviceFacts['local'],
  spread: readonly SpreadPool[],
): Shelf {
  const own = local.get(bin.node?.name ?? '') ?? [];
  const reached = reachedDevices(spread, (terms) =>
    terms.some((term) => matchesLabels(term, bin.labels)),
  );
  return shelfFrom([...reached, ...own]);
}

/** What of spread pools can be used from somewhere. */
export const reachedDevices = (
  spread: readonly SpreadPool[],
  isThere: (terms: readonly Requirements[]) => boolean,
): readonly DevicePool[] =>
  spread.flatMap(({ pool, terms }) => {
    const devices = pool.devices.filter((_, at) => {
      const ofDevice = terms[at];
      return ofDevice !== undefined && (ofDevice.length === 0 || isThere(ofDevice));
    });
    return devices.length > 0 ? [{ ...pool, devices }] : [];
  });

export function shelfFrom(pools: readonly DevicePool[]): Shelf {
  const complete = pools.filter((pool) => pool.complete);
  return {
    devices: complete.flatMap(({ devices }) => devices),
    counters: new Map(complete.flatMap(({ counters }) => [...counters])),
    isOpen: complete.length < pools.length,
  };
}
