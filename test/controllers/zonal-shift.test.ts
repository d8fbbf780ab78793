import { describe, expect, it } from 'vitest';
import { followZonalShifts } from '../../shared/controllers/follow-zonal-shifts.ts';
import { reconcileNodeClaim } from '../../shared/controllers/node-lifecycle.ts';
import { observe } from '../../shared/controllers/observe.ts';
import { outsideShifts } from '../../shared/controllers/shifted-zones.ts';
import { sweep } from '../../shared/controllers/sweep.ts';
import type { ClusterEvent } from '../../shared/model/events.ts';
import type { OfferingPart } from '../../shared/model/instance-type.ts';
import { ZONE_ID_LABEL } from '../../shared/model/labels.ts';
import { reasonText } from '../../shared/model/reasons.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { simNodeClasses } from '../../shared/simulation/node-classes.ts';
import {
  type SimShiftSource,
  simShiftSource,
  simZonalShifts,
} from '../../shared/simulation/zonal-shifts.ts';
import {
  aLaunch,
  aNode,
  aNodeClaim,
  aNodePool,
  aPod,
  aPodSpec,
  NOON,
  offeringsOf,
  ZONES,
} from '../support/builders.ts';
import { aResolvedClass } from '../support/node-classes.ts';
import { addRunning, aFakeWorld, claimOf, type FakeWorld, providerIdOf } from './fake-ports.ts';

const [A, B] = ZONES;
const ZONE = 'topology.kubernetes.io/zone';
const END = NOON + HOUR_MS;
const SUBNETS = ZONES.map((zone, at) => ({
  id: `subnet-${at}`,
  zone,
  zoneId: `use1-az${at + 1}`,
  freeAddresses: 100,
}));

interface ShiftWorld {
  readonly world: FakeWorld;
  readonly ports: Ports;
  readonly arc: SimShiftSource;
  /** What EC2 was asked about single instances. */
  readonly calls: string[];
}

/** A cluster with a subnet in each zone, which ARC may shift. */
async function aShiftWorld(world = aFakeWorld()): Promise<ShiftWorld> {
  const nodeClasses = simNodeClasses();
  await nodeClasses.save(aResolvedClass({ subnets: SUBNETS }));
  await nodeClasses.save(aResolvedClass({ name: 'far', subnets: SUBNETS.slice(1) }));
  const [arc, zonalShifts, calls] = [simShiftSource(), simZonalShifts(), [] as string[]];
  const { cloud, unavailableOfferings } = world.ports;
  const ports: Ports = {
    ...world.ports,
    nodeClasses,
    zonalShifts,
    shiftSource: arc,
    unavailableOfferings: outsideShifts(unavailableOfferings, zonalShifts),
    cloud: {
      ...cloud,
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

const shiftEvents = ({ world }: ShiftWorld): readonly ClusterEvent[] =>
  world.events.splice(0).filter(({ kind }) => kind.includes('shift'));

describe('a shift away from a zone', () => {
  const pools = [
    aNodePool({ name: 'general' }),
    aNodePool({
      name: 'pinned',
      requirements: [{ key: ZONE, operator: 'In', values: [B] }],
    }),
    aNodePool({
      name: 'by-id',
      requirements: [{ key: ZONE_ID_LABEL, operator: 'In', values: ['use1-az1'] }],
    }),
    aNodePool({ name: 'far', nodeClass: { ...aNodePool().nodeClass, name: 'far' } }),
  ];
  const told = (kind: string, pool: string) => ({
    ...{ kind, at: NOON, pool, zone: A, zoneId: 'use1-az1' },
    ...(kind === 'zonal-shift-active' && { until: END }),
  });

  it('N13: is told of the pools that reach the zone, once, and so is its end', async () => {
    const shifting = await aShiftWorld(aFakeWorld({ pools }));
    const { ports, arc } = shifting;
    arc.shift('use1-az1', END);
    await followZonalShifts(ports);
    expect(shiftEvents(shifting)).toEqual([
      told('zonal-shift-active', 'general'),
      told('zonal-shift-active', 'by-id'),
    ]);

    await followZonalShifts(ports);
    arc.shift('use1-az1', END + HOUR_MS);
    await followZonalShifts(ports);
    expect(shiftEvents(shifting)).toEqual([]);

    arc.end('use1-az1');
    await followZonalShifts(ports);
    expect(shiftEvents(shifting)).toEqual([
      told('zonal-shift-cleared', 'general'),
      told('zonal-shift-cleared', 'by-id'),
    ]);
  });

  it('is over for good when its time has come, even if nobody could be asked', async () => {
    const shifting = await aShiftWorld();
    const { ports, arc, world } = shifting;
    arc.shift('use1-az1', END);
    await followZonalShifts(ports);

    arc.answer({ outcome: 'unknown', why: 'ARC answered 500' });
    await followZonalShifts(ports);
    expect(await ports.zonalShifts?.list(END - 1)).toHaveLength(1);
    expect(await ports.zonalShifts?.list(END)).toEqual([]);
    expect(world.events.at(-1)).toEqual({
      kind: 'shifts-unknown',
      at: NOON,
      why: 'ARC answered 500',
    });
  });

  it('cannot be of a cluster that is not registered, which is said each time', async () => {
    const shifting = await aShiftWorld();
    const { ports, arc, world } = shifting;
    arc.shift('use1-az1', END);
    await followZonalShifts(ports);
    arc.answer({ outcome: 'not-registered' });
    await followZonalShifts(ports);

    expect(await ports.zonalShifts?.list(NOON)).toEqual([]);
    expect(world.events.map(({ kind }) => kind)).toContain('shifts-unknown');
  });

  it('has what waits planned anew, at its begin and at its end', async () => {
    const { ports, arc, world } = await aShiftWorld();
    const plans = () => world.sent.splice(0).filter(({ hint }) => hint.topic === 'plan');
    arc.shift('use1-az1', END);
    await followZonalShifts(ports);
    expect(plans()).toHaveLength(1);
    await followZonalShifts(ports);
    expect(plans()).toHaveLength(0);
    arc.end('use1-az1');
    await followZonalShifts(ports);
    expect(plans()).toHaveLength(1);
  });

  it('is none of ours in a zone where we have nothing', async () => {
    const shifting = await aShiftWorld();
    shifting.arc.shift('use1-az6', END);
    await followZonalShifts(shifting.ports);

    expect(await shifting.ports.zonalShifts?.list(NOON)).toEqual([]);
    expect(shifting.world.events).toEqual([]);
  });

  it('is noticed by the sweep, also beside one that is under way', async () => {
    const { ports, arc, world } = await aShiftWorld();
    await ports.leases.acquire('sweep', { holder: 'another', now: NOON, forMs: MINUTE_MS });
    arc.shift('use1-az1', END);
    await sweep(ports);

    expect(await ports.zonalShifts?.list(NOON)).toEqual([
      { zone: A, zoneId: 'use1-az1', until: END },
    ]);
    expect(world.events.map(({ kind }) => kind)).toEqual(['zonal-shift-active']);
  });
});

describe('where a plan launches during a shift', () => {
  async function planned(
    where: Readonly<Record<string, string>> = {},
    dry: readonly OfferingPart[] = [],
  ) {
    const world = aFakeWorld({ pods: [aPod({ spec: aPodSpec({ nodeSelector: where }) })] });
    world.catalogue = {
      ...world.catalogue,
      offerings: offeringsOf('m7i.large', 0.1, [A, B], ['spot', 'on-demand']),
    };
    await world.ports.unavailableOfferings.mark(dry, NOON);
    const { ports, arc } = await aShiftWorld(world);
    arc.shift('use1-az1', END);
    await followZonalShifts(ports);
    return planProvisioning(await observe(ports), 'd-1');
  }
  const zonesOf = async (where: Readonly<Record<string, string>>) =>
    (await planned(where)).claims.flatMap(({ cheapest }) => cheapest.zone);

  it('is in another zone', async () => {
    expect(await zonesOf({})).toEqual([B]);
  });

  it('is nowhere for a pod that must be there, and the reason says until when', async () => {
    const { claims, unplaced } = await planned({ [ZONE]: A });

    expect(claims).toEqual([]);
    expect(unplaced.flatMap(({ pools }) => pools.flatMap(({ reasons }) => reasons))).toEqual([
      { code: 'zonal-shift', fields: { zone: A, until: '2026-01-01T13:00:00Z' } },
    ]);
  });

  it('is nowhere, for two reasons, where the other zone is out of capacity', async () => {
    const { unplaced } = await planned(undefined, [{ zone: B }]);

    const reasons = unplaced.flatMap(({ pools }) => pools.flatMap((one) => one.reasons));
    expect(reasons.map(({ code, fields }) => [code, fields.zone])).toEqual([
      ['ice', B],
      ['zonal-shift', A],
    ]);
  });

  it('is said in one sentence', () => {
    expect(reasonText({ code: 'zonal-shift', fields: { zone: A, until: '13:00' } })).toBe(
      `${A} shifted away until 13:00`,
    );
  });
});

describe('an instance in a shifted zone', () => {
  const deleting = { deletingAt: NOON, removal: 'Empty' } as const;
  const providerId = providerIdOf('general-1');

  async function shifted(over = {}): Promise<ShiftWorld> {
    const shifting = await aShiftWorld();
    await addRunning(shifting.world, 'general-1', over);
    shifting.arc.shift('use1-az1', END);
    await followZonalShifts(shifting.ports);
    shifting.world.events.length = 0;
    return shifting;
  }
  const reconcile = (ports: Ports) => reconcileNodeClaim(ports, 'general-1');
  /** Until nothing is left to do at once. */
  async function settle({ ports, world }: ShiftWorld): Promise<void> {
    for (let looks = 0; looks < 5; looks += 1) {
      await reconcile(ports);
      world.now += 10 * SECOND_MS;
    }
  }

  it('L32: is neither described nor ended, and its claim says why', async () => {
    const shifting = await shifted(deleting);
    await settle(shifting);

    expect(shifting.calls).toEqual([]);
    const claim = await claimOf(shifting.world, 'general-1');
    expect(claim?.drainedAt).toBeTypeOf('number');
    expect(claim).toMatchObject({
      waitsFor: {
        condition: 'InstanceTerminating',
        status: 'Unknown',
        reason: 'ZonalShift',
        message: `${A} is shifted away from until 2026-01-01T13:00:00Z`,
      },
    });
    expect(claim?.terminatingAt).toBeUndefined();
  });

  it('L32: is ended as soon as the shift is, and not before (23.8-107)', async () => {
    const shifting = await shifted(deleting);
    await settle(shifting);
    shifting.arc.end('use1-az1');
    await followZonalShifts(shifting.ports);
    await settle(shifting);

    expect(shifting.calls).toContain(`terminate ${providerId}`);
    const claim = await claimOf(shifting.world, 'general-1');
    expect(claim?.terminatedAt).toBeTypeOf('number');
  });

  it('L32: is not taken for gone, although its Node is silent and no list has it', async () => {
    const shifting = await shifted();
    const { world, ports, calls } = shifting;
    world.objects = { ...world.objects, nodes: [aNode({ ready: false, providerId })] };
    world.instances.clear();
    await sweep(ports);
    await reconcile(ports);

    expect(await claimOf(world, 'general-1')).not.toHaveProperty('deletingAt');
    expect(calls).toEqual([]);
  });

  it('L32: gets no tags, and gets them when the shift is over', async () => {
    const shifting = await shifted();
    await sweep(shifting.ports);
    expect(shifting.calls).toEqual([]);

    shifting.arc.end('use1-az1');
    shifting.world.now += MINUTE_MS;
    await sweep(shifting.ports);
    expect(shifting.calls).toEqual([`name ${providerId}`]);
  });

  it('L32: is not ended as a leak, nor is its Node let go', async () => {
    const { world, ports, calls } = await shifted();
    world.instances.set('aws:///us-east-1a/i-leak', {
      providerId: 'aws:///us-east-1a/i-leak',
      claim: '',
      state: 'running',
    });
    const orphan = aNode({ providerId: 'aws:///us-east-1a/i-gone', deletionAt: NOON });
    world.objects = { ...world.objects, nodes: [...world.objects.nodes, orphan] };
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await sweep(ports);
      world.now += MINUTE_MS;
    }

    expect(calls.filter((call) => call.startsWith('terminate'))).toEqual([]);
    expect(world.objects.nodes).toContain(orphan);
  });

  it('L33: whose launch is not on record is found in the list, and left alone as well', async () => {
    const { world, ports, calls, arc } = await aShiftWorld();
    arc.shift('use1-az1', END);
    await followZonalShifts(ports);
    await ports.nodeClaims.save(aNodeClaim({ ...deleting }), 0);
    world.instances.set(providerId, { providerId, claim: 'general-1', state: 'running' });
    await reconcile(ports);

    expect(calls).toEqual([]);
    expect(await claimOf(world, 'general-1')).toMatchObject({ waitsFor: { reason: 'ZonalShift' } });
  });

  it('of another zone is ended as ever', async () => {
    const shifting = await aShiftWorld();
    const elsewhere = 'aws:///us-east-1b/i-1';
    const launch = aLaunch({ providerId: elsewhere, zone: B });
    await addRunning(
      shifting.world,
      'general-1',
      { ...deleting, launch },
      { providerId: elsewhere },
    );
    const instance = { providerId: elsewhere, claim: 'general-1', state: 'running' } as const;
    shifting.world.instances.set(elsewhere, instance);
    shifting.arc.shift('use1-az1', END);
    await followZonalShifts(shifting.ports);
    await settle(shifting);

    expect(shifting.calls).toContain(`terminate ${elsewhere}`);
  });
});
