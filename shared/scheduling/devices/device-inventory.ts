import { getOrCreate } from '../../model/memo.ts';
import { matchesLabels, type Requirements } from '../../model/requirements/requirements.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import { memoizePerRunningPods } from '../input/problem.ts';
import type { DeviceSupply } from './allocate-devices.ts';
import { type DevicePool, groupDevicePools, toNodeTerms } from './device-pools.ts';
import { createPredictedDevices, type PredictedDevices } from './predicted-devices.ts';

/** Devices of the cluster that several nodes can use, with the nodes that reach them. */
export interface SharedDevicePool {
  readonly pool: DevicePool;
  /**
   * For each device of the pool: terms of which a node must meet any one. An empty list means every
   * node; undefined means that the device belongs to one node.
   */
  readonly terms: readonly (readonly Requirements[] | undefined)[];
}

/**
 * The devices of existing nodes and the predicted devices of new nodes, computed once per problem.
 */
export interface DeviceInventory {
  /** Devices of nodes, by node name. */
  readonly local: ReadonlyMap<string, readonly DevicePool[]>;
  readonly sharedPools: readonly SharedDevicePool[];
  readonly predicted: PredictedDevices;
  /** Returns the devices that an initialized node can use. */
  getSupply(existingNode: ExistingNode): DeviceSupply;
}

/** Includes nodes that a simulation removes: their devices still predict those of new nodes. */
export const getDeviceInventory = memoizePerRunningPods(({ runningNodes, snapshot }): DeviceInventory => {
  const pools = groupDevicePools(snapshot.devices?.slices ?? []);
  const local = groupLocalPools(pools);
  const sharedPools = pools.flatMap((pool) => {
    const terms = pool.devices.map(({ reach }) => toNodeTerms(reach));
    return terms.some((one) => one !== undefined) ? [{ pool, terms }] : [];
  });
  const supplies = new Map<ExistingNode, DeviceSupply>();
  return {
    local,
    sharedPools,
    predicted: createPredictedDevices(runningNodes, local),
    getSupply(existingNode) {
      return getOrCreate(supplies, existingNode, () => createSupply(existingNode, local, sharedPools));
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
  existingNode: ExistingNode,
  local: DeviceInventory['local'],
  sharedPools: readonly SharedDevicePool[],
): DeviceSupply {
  const own = local.get(existingNode.node?.name ?? '') ?? [];
  const reached = listReachableDevices(sharedPools, (terms) =>
    terms.some((term) => matchesLabels(term, existingNode.labels)),
  );
  return toSupply([...reached, ...own]);
}

/** Lists the shared devices that a node reaches. */
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
  const complete = pools.filter((pool) => pool.isComplete);
  return {
    devices: complete.flatMap(({ devices }) => devices),
    counters: new Map(complete.flatMap(({ counters }) => [...counters])),
    isIncomplete: complete.length < pools.length,
  };
}
