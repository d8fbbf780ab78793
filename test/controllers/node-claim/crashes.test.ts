import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { UNREGISTERED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { countCalls, crashingPorts, survives } from '../crash/crashing-ports.ts';
import type { CrashMoment } from '../crash/effects.ts';
import { claimOf, type FakeWorld, joinNode } from '../support/fake-ports.ts';
import { NAME, reconcile, runOn, withDeletedClaim, withStoredClaim } from './claim-worlds.ts';

describe('an invocation that crashes', () => {
  it.each<CrashMoment>(['before', 'after'])(
    'is continued for new and deleted claims, whichever call it crashed at: %s it took effect',
    async (moment) => {
      const live = async (world: FakeWorld) => {
        const { ports } = world;
        await reconcileNodeClaim(ports, NAME);
        joinNode(world, NAME, { taints: [UNREGISTERED_TAINT] });
        await reconcileNodeClaim(ports, NAME);
      };
      const fresh = await withStoredClaim();
      await live(fresh);
      const expected = fresh.objects.nodes;

      for (let call = 1; call <= 30; call += 1) {
        const world = await withStoredClaim();
        await survives(crashingPorts(world.ports, call, moment), (ports) => reconcileNodeClaim(ports, NAME));
        // After this time the answer of EC2 will not be recorded any more.
        world.now += 40 * SECOND_MS;
        await reconcile(world);
        joinNode(world, NAME, { taints: [UNREGISTERED_TAINT] });
        await survives(crashingPorts(world.ports, call, moment), (ports) => reconcileNodeClaim(ports, NAME));
        await reconcile(world);

        expect(await claimOf(world, NAME)).toHaveProperty('initializedAt', world.now);
        expect(world.objects.nodes).toEqual(expected);
      }
    },
  );

  it.each<CrashMoment>(['before', 'after'])(
    'leaves nothing behind in the end, whichever call it crashed at: %s it took effect',
    async (moment) => {
      const probe = await withDeletedClaim();
      const calls = await countCalls(
        () => probe.ports,
        (ports) => reconcileNodeClaim(ports, NAME),
      );

      for (let call = 1; call <= Math.max(calls, 30); call += 1) {
        const world = await withDeletedClaim();
        await survives(crashingPorts(world.ports, call, moment), (ports) => reconcileNodeClaim(ports, NAME));
        world.now += 6 * SECOND_MS;
        await survives(crashingPorts(world.ports, call, moment), (ports) => reconcileNodeClaim(ports, NAME));
        await runOn(world, 3);

        expect(world.instances.size).toBe(0);
        expect(world.objects.nodes).toEqual([]);
        expect(await claimOf(world, NAME)).toHaveProperty('terminatedAt');
      }
    },
  );
});
