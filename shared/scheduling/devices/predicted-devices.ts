import { INSTANCE_TYPE_LABEL, NODEPOOL_LABEL } from '../../model/labels.ts';
import type { AttributeValue, Device } from '../../model/pods/devices.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import type { DeviceSupply } from './allocate-devices.ts';
import type { DevicePool, SuppliedDevice } from './device-pools.ts';

/** Tells which devices a node will have that is still to come; undefined: nobody knows. */
export type PredictedDevices = (pool: string, instanceType: string) => DeviceSupply | undefined;

/** What a driver has shown of one node. */
interface ObservedDevices {
  readonly nodePool: string | undefined;
  readonly devices: readonly SuppliedDevice[];
  readonly counters: ReadonlyMap<string, number>;
}

/**
 * Learns from nodes that run: one of the same type has the same devices. Nodes of the same NodePool
 * are asked first, for pools may set up their drivers in their own ways. Where nodes differ the one
 * with the fewest devices counts, and of attributes only those that are the same on all of them are
 * sure: others, such as a serial number, are never known beforehand.
 *
 * @param local - the devices of each node, by its name
 */
export function createPredictedDevices(
  bins: readonly ExistingBin[],
  local: ReadonlyMap<string, readonly DevicePool[]>,
): PredictedDevices {
  const observed = observeByType(bins, local);
  const cached = new Map<string, DeviceSupply | undefined>();
  return (pool, instanceType) => {
    const key = `${pool} ${instanceType}`;
    if (!cached.has(key))
      cached.set(key, predictSupply(observed.get(instanceType) ?? NOTHING_OBSERVED, pool));
    return cached.get(key);
  };
}

/** By driver. */
type ObservedByDriver = ReadonlyMap<string, readonly ObservedDevices[]>;
const NOTHING_OBSERVED: ObservedByDriver = new Map();

function observeByType(
  bins: readonly ExistingBin[],
  local: ReadonlyMap<string, readonly DevicePool[]>,
): ReadonlyMap<string, ObservedByDriver> {
  const byType = new Map<string, Map<string, ObservedDevices[]>>();
  for (const { node, initialized, labels } of bins) {
    const type = labels[INSTANCE_TYPE_LABEL];
    if (!node || !initialized || type === undefined) continue;
    for (const { driver, complete, devices, counters } of local.get(node.name) ?? []) {
      if (!complete) continue;
      const byDriver = byType.get(type) ?? new Map<string, ObservedDevices[]>();
      byType.set(type, byDriver);
      const observation = { nodePool: labels[NODEPOOL_LABEL], devices, counters };
      byDriver.set(driver, [...(byDriver.get(driver) ?? []), observation]);
    }
  }
  return byType;
}

function predictSupply(observed: ObservedByDriver, pool: string): DeviceSupply | undefined {
  if (observed.size === 0) return undefined;
  const predictions = [...observed].map(([, all]) => {
    const fromPool = all.filter(({ nodePool }) => nodePool === pool);
    return predictFrom(fromPool.length > 0 ? fromPool : all);
  });
  return {
    devices: predictions.flatMap(({ devices }) => devices),
    counters: new Map(predictions.flatMap(({ counters }) => [...counters])),
    isIncomplete: false,
  };
}

/** The devices of the poorest sample, under names of their own. */
function predictFrom(
  observed: readonly ObservedDevices[],
): Pick<ObservedDevices, 'devices' | 'counters'> {
  const smallest = observed.reduce((a, b) => (b.devices.length < a.devices.length ? b : a));
  const others = observed.filter((one) => one !== smallest);
  return {
    devices: smallest.devices.map((supplied) => ({
      ...supplied,
      id: toPredictedName(supplied.id),
      pool: toPredictedName(supplied.pool),
      knownDevice: withSharedAttributes(supplied.device, others),
      isPredicted: true,
    })),
    counters: new Map(
      [...smallest.counters].map(([key, amount]) => [toPredictedName(key), amount]),
    ),
  };
}

const toPredictedName = (name: string): string => `to come: ${name}`;

function withSharedAttributes(device: Device, others: readonly ObservedDevices[]): Device {
  const isShared = ([name, value]: readonly [string, AttributeValue]): boolean =>
    others.every(({ devices }) => {
      const sameName = devices.filter((one) => one.device.name === device.name);
      const compared = sameName.length > 0 ? sameName : devices;
      return compared.some((one) => isSame(one.device.attributes[name], value));
    });
  const sharedAttributes = Object.entries(device.attributes).filter(isShared);
  return { ...device, attributes: Object.fromEntries(sharedAttributes) };
}

const isSame = (a: AttributeValue | undefined, b: AttributeValue): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
