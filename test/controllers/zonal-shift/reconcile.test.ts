import { describe, expect, it } from 'vitest';
import { observeCluster } from '../../../shared/controllers/observe-cluster.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { reconcileZonalShifts } from '../../../shared/controllers/zonal-shift/reconcile.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import { ZONE_ID_LABEL } from '../../../shared/model/labels.ts';
import type { OfferingPart } from '../../../shared/model/offerings/instance-type.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aNodePool, aPod, aPodSpec, NOON, offeringsOf, ZONES } from '../../support/builders.ts';
import { aFakeWorld } from '../support/fake-ports.ts';
import { aShiftWorld, END, type ShiftWorld } from './shift-world.ts';

const [A, B] = ZONES;
const ZONE = 'topology.kubernetes.io/zone';

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
  const reported = (kind: string, pool: string) => ({
    ...{ kind, at: NOON, pool, zone: A, zoneId: 'use1-az1' },
    ...(kind === 'zonal-shift-active' && { until: END }),
  });

  it('is reported once for the pools that reach the zone, and so is its end', async () => {
    const shifting = await aShiftWorld(aFakeWorld({ pools }));
    const { ports, arc } = shifting;
    arc.shift('use1-az1', END);
    await reconcileZonalShifts(ports);
    expect(shiftEvents(shifting)).toEqual([
      reported('zonal-shift-active', 'general'),
      reported('zonal-shift-active', 'by-id'),
    ]);

    await reconcileZonalShifts(ports);
    arc.shift('use1-az1', END + HOUR_MS);
    await reconcileZonalShifts(ports);
    expect(shiftEvents(shifting)).toEqual([]);

    arc.end('use1-az1');
    await reconcileZonalShifts(ports);
    expect(shiftEvents(shifting)).toEqual([
      reported('zonal-shift-cleared', 'general'),
      reported('zonal-shift-cleared', 'by-id'),
    ]);
  });

  it('ends at its time even if ARC does not answer', async () => {
    const shifting = await aShiftWorld();
    const { ports, arc, world } = shifting;
    arc.shift('use1-az1', END);
    await reconcileZonalShifts(ports);

    arc.answer({ outcome: 'unknown', why: 'ARC answered 500' });
    await reconcileZonalShifts(ports);
    expect(await ports.zonalShifts?.list(END - 1)).toHaveLength(1);
    expect(await ports.zonalShifts?.list(END)).toEqual([]);
    expect(world.events.at(-1)).toEqual({
      kind: 'shifts-unknown',
      at: NOON,
      why: 'ARC answered 500',
    });
  });

  it('is unknown for a cluster that is not registered, which is reported each time', async () => {
    const shifting = await aShiftWorld();
    const { ports, arc, world } = shifting;
    arc.shift('use1-az1', END);
    await reconcileZonalShifts(ports);
    arc.answer({ outcome: 'not-registered' });
    await reconcileZonalShifts(ports);

    expect(await ports.zonalShifts?.list(NOON)).toEqual([]);
    expect(world.events.map(({ kind }) => kind)).toContain('shifts-unknown');
  });

  it('requests a plan at its start and at its end', async () => {
    const { ports, arc, world } = await aShiftWorld();
    const plans = () => world.sent.splice(0).filter(({ hint }) => hint.topic === 'plan');
    arc.shift('use1-az1', END);
    await reconcileZonalShifts(ports);
    expect(plans()).toHaveLength(1);
    await reconcileZonalShifts(ports);
    expect(plans()).toHaveLength(0);
    arc.end('use1-az1');
    await reconcileZonalShifts(ports);
    expect(plans()).toHaveLength(1);
  });

  it('is ignored in a zone without a subnet of any node class', async () => {
    const shifting = await aShiftWorld();
    shifting.arc.shift('use1-az6', END);
    await reconcileZonalShifts(shifting.ports);

    expect(await shifting.ports.zonalShifts?.list(NOON)).toEqual([]);
    expect(shifting.world.events).toEqual([]);
  });

  it('is noticed by the sweep even while another sweep holds the lease', async () => {
    const { ports, arc, world } = await aShiftWorld();
    await ports.leases.acquire('sweep', { holder: 'another', now: NOON, forMs: MINUTE_MS });
    arc.shift('use1-az1', END);
    await sweep(ports);

    expect(await ports.zonalShifts?.list(NOON)).toEqual([{ zone: A, zoneId: 'use1-az1', until: END }]);
    expect(world.events.map(({ kind }) => kind)).toEqual(['zonal-shift-active']);
  });
});

describe('a plan during a shift', () => {
  async function planned(where: Readonly<Record<string, string>> = {}, unavailable: readonly OfferingPart[] = []) {
    const world = aFakeWorld({ pods: [aPod({ spec: aPodSpec({ nodeSelector: where }) })] });
    world.catalogue = {
      ...world.catalogue,
      offerings: offeringsOf('m7i.large', 0.1, [A, B], ['spot', 'on-demand']),
    };
    await world.ports.unavailableOfferings.mark(unavailable, NOON);
    const { ports, arc } = await aShiftWorld(world);
    arc.shift('use1-az1', END);
    await reconcileZonalShifts(ports);
    return planProvisioning(await observeCluster(ports), 'd-1');
  }
  const zonesOf = async (where: Readonly<Record<string, string>>) =>
    (await planned(where)).claims.flatMap(({ cheapest }) => cheapest.zone);

  it('launches in another zone', async () => {
    expect(await zonesOf({})).toEqual([B]);
  });

  it('launches nothing for a pod that needs the zone, and the reason says until when', async () => {
    const { claims, unplaced } = await planned({ [ZONE]: A });

    expect(claims).toEqual([]);
    expect(unplaced.flatMap(({ pools }) => pools.flatMap(({ reasons }) => reasons))).toEqual([
      { code: 'zonal-shift', fields: { zone: A, until: '2026-01-01T13:00:00Z' } },
    ]);
  });

  it('launches nothing and gives both reasons if the other zone is out of capacity', async () => {
    const { unplaced } = await planned(undefined, [{ zone: B }]);

    const reasons = unplaced.flatMap(({ pools }) => pools.flatMap((one) => one.reasons));
    expect(reasons.map(({ code, fields }) => [code, fields.zone])).toEqual([
      ['ice', B],
      ['zonal-shift', A],
    ]);
  });

  it('formats its reason with the zone and the end of the shift', () => {
    expect(formatReason({ code: 'zonal-shift', fields: { zone: A, until: '13:00' } })).toBe(
      `${A} shifted away until 13:00`,
    );
  });
});
