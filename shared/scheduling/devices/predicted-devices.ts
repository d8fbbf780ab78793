import { INSTANCE_TYPE_LABEL, NODEPOOL_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { ownValue } from '../../model/own-value.ts';
import type { AttributeValue, Device } from '../../model/pods/devices.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { DeviceSupply } from './allocate-devices.ts';
import type { DevicePool, SuppliedDevice } from './device-pools.ts';

/** Predicts the devices of a new node; undefined if no node of the type has been observed. */
export type PredictedDevices = (pool: string, instanceType: string) => DeviceSupply | undefined;

/** The devices that a driver has published for one node. */
interface ObservedDevices {
  readonly nodePool: string | undefined;
  readonly devices: readonly SuppliedDevice[];
  readonly counters: ReadonlyMap<string, number>;
}

/**
 * Predicts from running nodes: nodes of the same type have the same devices. Nodes of the same
 * NodePool are preferred, because NodePools may configure drivers differently. If nodes differ, the
 * node with the fewest devices decides. Only attributes that are equal on all nodes are predicted,
 * so a serial number never is.
 *
 * @param local - the devices of each node, by node name
 */
export function createPredictedDevices(
  existingNodes: readonly ExistingNode[],
  local: ReadonlyMap<string, readonly DevicePool[]>,
): PredictedDevices {
  const observed = observeByType(existingNodes, local);
  const cached = new Map<string, DeviceSupply | undefined>();
  return (pool, instanceType) => {
    const key = `${pool} ${instanceType}`;
    if (!cached.has(key)) cached.set(key, predictSupply(observed.get(instanceType) ?? NOTHING_OBSERVED, pool));
    return cached.get(key);
  };
}

/** Observed devices by driver. */
type ObservedByDriver = ReadonlyMap<string, readonly ObservedDevices[]>;
const NOTHING_OBSERVED: ObservedByDriver = new Map();

function observeByType(
  existingNodes: readonly ExistingNode[],
  local: ReadonlyMap<string, readonly DevicePool[]>,
): ReadonlyMap<string, ObservedByDriver> {
  const byType = new Map<string, Map<string, ObservedDevices[]>>();
  for (const { node, initialized, labels } of existingNodes) {
    const type = labels[INSTANCE_TYPE_LABEL];
    if (!node || !initialized || type === undefined) continue;
    for (const { driver, isComplete, devices, counters } of local.get(node.name) ?? []) {
      if (!isComplete) continue;
      const byDriver = getOrCreate(byType, type, () => new Map());
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

/** Copies the devices of the node with the fewest, under new ids. */
function predictFrom(observed: readonly ObservedDevices[]): Pick<ObservedDevices, 'devices' | 'counters'> {
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
    counters: new Map([...smallest.counters].map(([key, amount]) => [toPredictedName(key), amount])),
  };
}

const toPredictedName = (name: string): string => `to come: ${name}`;

function withSharedAttributes(device: Device, others: readonly ObservedDevices[]): Device {
  const isShared = ([name, value]: readonly [string, AttributeValue]): boolean =>
    others.every(({ devices }) => {
      const sameName = devices.filter((one) => one.device.name === device.name);
      const compared = sameName.length > 0 ? sameName : devices;
      return compared.some((one) => isSame(ownValue(one.device.attributes, name), value));
    });
  const sharedAttributes = Object.entries(device.attributes).filter(isShared);
  return { ...device, attributes: Object.fromEntries(sharedAttributes) };
}

const isSame = (a: AttributeValue | undefined, b: AttributeValue): boolean => JSON.stringify(a) === JSON.stringify(b);
