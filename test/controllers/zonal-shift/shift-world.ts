import { withShiftedZones } from '../../../shared/controllers/zonal-shift/shifted-zones.ts';
import { memoryZonalShifts } from '../../../shared/memory/capacity-records.ts';
import { memoryNodeClasses } from '../../../shared/memory/records.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import { NOON, ZONES } from '../../support/builders.ts';
import { type MemoryShiftSource, memoryShiftSource } from '../../support/memory-shift-source.ts';
import { aResolvedClass } from '../../support/node-classes.ts';
import { aFakeWorld, type FakeWorld } from '../support/fake-ports.ts';

/** The end of the shifts that tests start. */
export const END = NOON + HOUR_MS;
const SUBNETS = ZONES.map((zone, at) => ({
  id: `subnet-${at}`,
  zone,
  zoneId: `use1-az${at + 1}`,
  freeAddresses: 100,
}));

export interface ShiftWorld {
  readonly world: FakeWorld;
  readonly ports: Ports;
  readonly arc: MemoryShiftSource;
  /** Calls to EC2 for single instances. */
  readonly calls: string[];
}

/** A cluster with a subnet in each zone, which ARC may shift. */
export async function aShiftWorld(world = aFakeWorld()): Promise<ShiftWorld> {
  const nodeClasses = memoryNodeClasses();
  await nodeClasses.save(aResolvedClass({ subnets: SUBNETS }));
  await nodeClasses.save(aResolvedClass({ name: 'far', subnets: SUBNETS.slice(1) }));
  const [arc, zonalShifts] = [memoryShiftSource(), memoryZonalShifts()];
  const calls: string[] = [];
  const { cloud, unavailableOfferings } = world.ports;
  const ports: Ports = {
    ...world.ports,
    nodeClasses,
    zonalShifts,
    shiftSource: arc,
    unavailableOfferings: withShiftedZones(unavailableOfferings, zonalShifts),
    cloud: {
      ...cloud,
      async findInstances(providerIds) {
        calls.push(...providerIds.map((providerId) => `get ${providerId}`));
        return cloud.findInstances(providerIds);
      },
      async instance(providerId) {
        calls.push(`get ${providerId}`);
        return cloud.instance(providerId);
      },
      async terminate(providerId) {
        calls.push(`terminate ${providerId}`);
        return cloud.terminate(providerId);
      },
      async nameInstance(providerId, names) {
        calls.push(`name ${providerId}`);
        return cloud.nameInstance(providerId, names);
      },
    },
  };
  return { world, ports, arc, calls };
}
