import type { AttributeValue, Device } from '../../model/devices.ts';
import { INSTANCE_TYPE_LABEL, NODEPOOL_LABEL } from '../../model/labels.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import type { Shelf } from './allocate-devices.ts';
import type { DevicePool, ShelfDevice } from './device-pools.ts';

/** Tells which devices a node will have that is still to come; undefined: nobody knows. */
export type ComingDevices = (pool: string, instanceType: string) => Shelf | undefined;

/** What a driver has shown of one node. */
interface Sample {
  readonly nodePool: string | undefined;
  readonly devices: readonly ShelfDevice[];
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
export function comingDevices(
  bins: readonly ExistingBin[],
  local: ReadonlyMap<string, readonly DevicePool[]>,
): ComingDevices {
  const samples = samplesByType(bins, local);
  const known = new Map<string, Shelf | undefined>();
  return (pool, instanceType) => {
    const key = `${pool} ${instanceType}`;
    if (!known.has(key)) known.set(key, shelfOf(samples.get(instanceType) ?? NO_SAMPLES, pool));
    return known.get(key);
  };
}

/** By driver. */
type Samples = ReadonlyMap<string, readonly Sample[]>;
const NO_SAMPLES: Samples = new Map();

function samplesByType(
  bins: readonly ExistingBin[],
  local: ReadonlyMap<string, readonly DevicePool[]>,
): ReadonlyMap<string, Samples> {
  const byType = new Map<string, Map<string, Sample[]>>();
  for (const { node, initialized, labels } of bins) {
    const type = labels[INSTANCE_TYPE_LABEL];
    if (!node || !initialized || type === undefined) continue;
    for (const { driver, complete, devices, counters } of local.get(node.name) ?? []) {
      if (!complete) continue;
      const ofType = byType.get(type) ?? new Map<string, Sample[]>();
      byType.set(type, ofType);
      const sample = { nodePool: labels[NODEPOOL_LABEL], devices, counters };
      ofType.set(driver, [...(ofType.get(driver) ?? []), sample]);
    }
  }
  return byType;
}

function shelfOf(samples: Samples, pool: string): Shelf | undefined {
  if (samples.size === 0) return undefined;
  const models = [...samples].map(([, all]) => {
    const own = all.filter(({ nodePool }) => nodePool === pool);
    return modelOf(own.length > 0 ? own : all);
  });
  return {
    devices: models.flatMap(({ devices }) => devices),
    counters: new Map(models.flatMap(({ counters }) => [...counters])),
    isOpen: false,
  };
}

/** The devices of the poorest sample, under names of their own. */
function modelOf(samples: readonly Sample[]): Pick<Sample, 'devices' | 'counters'> {
  const poorest = samples.reduce((a, b) => (b.devices.length < a.devices.length ? b : a));
  const others = samples.filter((one) => one !== poorest);
  return {
    devices: poorest.devices.map((found) => ({
      ...found,
      id: toCome(found.id),
      pool: toCome(found.pool),
      sure: surely(found.device, others),
      isComing: true,
    })),
    counters: new Map([...poorest.counters].map(([key, amount]) => [toCome(key), amount])),
  };
}

const toCome = (name: string): string => `to come: ${name}`;

function surely(device: Device, others: readonly Sample[]): Device {
  const isSure = ([name, value]: readonly [string, AttributeValue]): boolean =>
    others.every(({ devices }) => {
      const like = devices.filter((one) => one.device.name === device.name);
      const compared = like.length > 0 ? like : devices;
      return compared.some((one) => isSame(one.device.attributes[name], value));
    });
  const sure = Object.entries(device.attributes).filter(isSure);
  return { ...device, attributes: Object.fromEntries(sure) };
}

const isSame = (a: AttributeValue | undefined, b: AttributeValue): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
