import { expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { withShiftedZones } from '../../../shared/controllers/zonal-shift/shifted-zones.ts';
import { memoryZonalShifts } from '../../../shared/memory/capacity-records.ts';
import { CAPACITY_TYPE_LABEL } from '../../../shared/model/labels.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { aWorld, runFor } from '../../simulation/support.ts';
import { aDeployment, aNodePool, aPodSpec, aPodTemplate, aSelector, resources, ZONES } from '../../support/builders.ts';
import { memoryShiftSource } from '../../support/memory-shift-source.ts';
import { aResolvedClass } from '../../support/node-classes.ts';

const [A] = ZONES;
const web = { kind: 'Deployment', namespace: 'default', name: 'web' } as const;

/** One pod, and so one node, in each zone at first. */
function aWideWorld(): SimWorld {
  const pool = aNodePool({
    requirements: [{ key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['on-demand'] }],
    // A node that waits for the end of the shift counts against its pool's budget.
    disruption: {
      ...aNodePool().disruption,
      consolidateAfterMs: 0,
      budgets: [{ nodes: '100%' }],
    },
  });
  const spec = aPodSpec({
    requests: resources(1.5, 4, { pods: 1 }),
    topologySpread: [
      {
        key: 'topology.kubernetes.io/zone',
        maxSkew: 1,
        whenUnsatisfiable: 'ScheduleAnyway',
        selector: aSelector({ app: 'web' }),
        matchLabelKeys: [],
        nodeAffinityPolicy: 'Honor',
        nodeTaintsPolicy: 'Ignore',
      },
    ],
  });
  const template = aPodTemplate({ labels: { app: 'web' }, spec });
  return aWorld({ pools: [pool], workloads: [aDeployment({ replicas: 3, template })] });
}

function shiftable(world: SimWorld) {
  const arc = memoryShiftSource();
  const zonalShifts = memoryZonalShifts();
  const subnets = ZONES.map((zone, at) => ({
    ...{ id: `subnet-${at}`, zone, zoneId: `use1-az${at + 1}`, freeAddresses: 100 },
  }));
  const ports: Ports = {
    ...world.ports,
    zonalShifts,
    shiftSource: arc,
    nodeClasses: { list: async () => [aResolvedClass({ subnets })] },
    unavailableOfferings: withShiftedZones(world.ports.unavailableOfferings, zonalShifts),
  };
  world.consume((hint) => dispatch(ports, hint));
  return arc;
}

const zonesOf = async ({ ports }: SimWorld): Promise<readonly string[]> =>
  (await ports.cloud.instances()).map(({ providerId }) => providerId.split('/')[3] ?? '').toSorted();

it('launches elsewhere during a shift of two hours, keeps instances of the zone until its end, and recovers', async () => {
  const world = aWideWorld();
  const arc = shiftable(world);
  await runFor(world, 10 * MINUTE_MS);
  expect(await zonesOf(world)).toEqual(ZONES);

  // The workload grows: nothing new in the shifted zone.
  arc.shift('use1-az1', world.clock.now() + 2 * HOUR_MS);
  await runFor(world, MINUTE_MS);
  world.userActions.scale(web, 9);
  await runFor(world, 10 * MINUTE_MS);
  const grown = await zonesOf(world);
  expect(grown.length).toBeGreaterThan(3);
  expect(grown.filter((zone) => zone === A)).toHaveLength(1);

  // The workload shrinks to nothing: nodes elsewhere go, the node in the shifted zone is drained
  // and stays.
  world.userActions.scale(web, 0);
  await runFor(world, HOUR_MS);
  expect(await zonesOf(world)).toEqual([A]);
  const [stored] = (await world.ports.nodeClaims.list()).records;
  expect(stored?.claim.waitsFor?.reason).toBe('ZonalShift');

  await runFor(world, HOUR_MS);
  expect(await zonesOf(world)).toEqual([]);
  expect(
    world
      .events()
      .map(({ event }) => event.kind)
      .filter((kind) => kind.includes('shift')),
  ).toEqual(['zonal-shift-active', 'zonal-shift-cleared']);
});
