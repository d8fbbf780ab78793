import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { reconcileZonalShifts } from '../../../shared/controllers/zonal-shift/reconcile.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import { aLaunch, aNode, aNodeClaim, NOON, ZONES } from '../../support/builders.ts';
import { addRunning, claimOf, providerIdOf } from '../support/fake-ports.ts';
import { aShiftWorld, END, type ShiftWorld } from './shift-world.ts';

const [A, B] = ZONES;

describe('an instance in a shifted zone', () => {
  const deleting = { deletingAt: NOON, removal: 'Empty' } as const;
  const providerId = providerIdOf('general-1');

  async function shifted(over = {}): Promise<ShiftWorld> {
    const shifting = await aShiftWorld();
    await addRunning(shifting.world, 'general-1', over);
    shifting.arc.shift('use1-az1', END);
    await reconcileZonalShifts(shifting.ports);
    shifting.world.events.length = 0;
    return shifting;
  }
  const reconcile = (ports: Ports) => reconcileNodeClaim(ports, 'general-1');
  /** Works off hints until none is due. */
  async function workOffHints({ ports, world }: ShiftWorld): Promise<void> {
    for (let looks = 0; looks < 5; looks += 1) {
      await reconcile(ports);
      world.now += 10 * SECOND_MS;
    }
  }

  it('is neither described nor terminated, and its claim shows why', async () => {
    const shifting = await shifted(deleting);
    await workOffHints(shifting);

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

  it('is terminated as soon as the shift is over, and not before', async () => {
    const shifting = await shifted(deleting);
    await workOffHints(shifting);
    shifting.arc.end('use1-az1');
    await reconcileZonalShifts(shifting.ports);
    await workOffHints(shifting);

    expect(shifting.calls).toContain(`terminate ${providerId}`);
    const claim = await claimOf(shifting.world, 'general-1');
    expect(claim?.terminatedAt).toBeTypeOf('number');
  });

  it('does not count as gone, although its Node is unready and no list has it', async () => {
    const shifting = await shifted();
    const { world, ports, calls } = shifting;
    world.objects = { ...world.objects, nodes: [aNode({ ready: false, providerId })] };
    world.instances.clear();
    await sweep(ports);
    await reconcile(ports);

    expect(await claimOf(world, 'general-1')).not.toHaveProperty('deletingAt');
    expect(calls).toEqual([]);
  });

  it('gets its tags only when the shift is over', async () => {
    const shifting = await shifted();
    await sweep(shifting.ports);
    expect(shifting.calls).toEqual([]);

    shifting.arc.end('use1-az1');
    shifting.world.now += MINUTE_MS;
    await sweep(shifting.ports);
    expect(shifting.calls).toEqual([`name ${providerId}`]);
  });

  it('is not terminated as a leak, and its Node is not released', async () => {
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

  it('is found in the list and left alone even if its launch is not recorded', async () => {
    const { world, ports, calls, arc } = await aShiftWorld();
    arc.shift('use1-az1', END);
    await reconcileZonalShifts(ports);
    await ports.nodeClaims.save(aNodeClaim({ ...deleting }), 0);
    world.instances.set(providerId, { providerId, claim: 'general-1', state: 'running' });
    await reconcile(ports);

    expect(calls).toEqual([]);
    expect(await claimOf(world, 'general-1')).toMatchObject({ waitsFor: { reason: 'ZonalShift' } });
  });

  it('is terminated as usual if it is in another zone', async () => {
    const shifting = await aShiftWorld();
    const elsewhere = 'aws:///us-east-1b/i-1';
    const launch = aLaunch({ providerId: elsewhere, zone: B });
    await addRunning(shifting.world, 'general-1', { ...deleting, launch }, { providerId: elsewhere });
    const instance = { providerId: elsewhere, claim: 'general-1', state: 'running' } as const;
    shifting.world.instances.set(elsewhere, instance);
    shifting.arc.shift('use1-az1', END);
    await reconcileZonalShifts(shifting.ports);
    await workOffHints(shifting);

    expect(shifting.calls).toContain(`terminate ${elsewhere}`);
  });
});
