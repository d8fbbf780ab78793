import { describe, expect, it } from 'vitest';
import { computeTimeoutMs } from '../../../shared/controllers/disruption/commands.ts';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { DISRUPTED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import { aNodeClaim, NOON } from '../../support/builders.ts';
import { crashingPorts, survives } from '../crash/crashing-ports.ts';
import type { CrashMoment } from '../crash/effects.ts';
import { claimOf, type FakeWorld, takeHints } from '../support/fake-ports.ts';
import {
  command,
  deletedClaims,
  initialize,
  reconcile,
  replacedBy,
  tainted,
  withCommand,
  withNodes,
} from './disruption-world.ts';

describe('a running command', () => {
  it('removes its nodes at once if it has no replacements', async () => {
    const world = await withCommand(command());
    await reconcile(world);

    expect(tainted(world)).toEqual(['a']);
    expect(await claimOf(world, 'a')).toMatchObject({ removal: 'Underutilized' });
    expect((await world.ports.commands.list()).records).toEqual([]);
  });

  it('hands a node that is rebooted over to its claim, and adds no second reboot after a crash', async () => {
    const repair = { condition: 'AcceleratedHardwareReady', status: 'False', since: NOON, drainMs: MINUTE_MS } as const;
    const reboots = command({ reason: 'Unhealthy', repair: { ...repair, fault: 'XID48', reboots: true } });
    const world = await withCommand(reboots);
    for (const _ of ['first', 'repeated']) {
      await reconcile(world);
      await world.ports.commands.add(reboots);
    }

    const reboot = { cause: 'AcceleratedHardwareReady/XID48', requestedAt: world.now, drainMs: MINUTE_MS };
    expect(await claimOf(world, 'a')).toMatchObject({ reboots: [reboot] });
    expect(await deletedClaims(world)).toEqual([]);
    expect(tainted(world)).toEqual([]);
  });

  it('launches replacements, taints, and waits for them', async () => {
    const world = await withCommand(replacedBy('new'));
    await reconcile(world);

    expect(await claimOf(world, 'new')).toMatchObject({
      createdAt: world.now,
      launch: { at: world.now },
    });
    expect(tainted(world)).toEqual(['a']);
    expect(await deletedClaims(world)).toEqual([]);
    expect((await world.ports.commands.list()).records).toHaveLength(1);
  });

  it('removes its nodes when the replacement is initialized', async () => {
    const world = await withCommand(replacedBy('new'));
    await reconcile(world);
    await initialize(world, 'new');
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual(['a']);
    expect((await world.ports.commands.list()).records).toEqual([]);
  });

  it('removes nothing while one of two replacements is missing', async () => {
    const world = await withCommand(replacedBy('new', 'newer'));
    await reconcile(world);
    await initialize(world, 'new');
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual([]);
  });

  it('is abandoned when a replacement is gone', async () => {
    const world = await withCommand(replacedBy('new', 'newer'));
    await reconcile(world);
    const stored = await world.ports.nodeClaims.find('new');
    const gone = { ...aNodeClaim({ name: 'new' }), deletingAt: world.now };
    await world.ports.nodeClaims.save(gone, stored?.version ?? 0);
    await reconcile(world);

    expect(tainted(world)).toEqual([]);
    expect((await world.ports.commands.list()).records).toEqual([]);
    // The replacement that came up stays until emptiness removes it.
    expect(await claimOf(world, 'newer')).not.toHaveProperty('deletingAt');
    expect(await claimOf(world, 'a')).not.toHaveProperty('deletingAt');
  });

  it('is abandoned before anything is tainted if EC2 has no replacement', async () => {
    const world = await withCommand(replacedBy('new'));
    world.launch = () => ({ outcome: 'unavailable', unavailable: [] });
    await reconcile(world);

    expect(tainted(world)).toEqual([]);
    expect((await world.ports.commands.list()).records).toEqual([]);
  });

  it.each([
    ['continues after 9 min', 9, 1],
    ['is abandoned after 11 min', 11, 0],
  ])('%s', async (_, minutes, remaining) => {
    const world = await withCommand(replacedBy('new'));
    await reconcile(world);
    world.now = NOON + minutes * MINUTE_MS;
    await reconcile(world);

    const running = (await world.ports.commands.list()).records.filter(({ id }) => id === 'd-1');
    expect(running).toHaveLength(remaining);
    expect(tainted(world)).toHaveLength(remaining);
  });

  it.each([
    [1, 10 * MINUTE_MS],
    [4_000, 10 * MINUTE_MS],
    [10_000, 800 * SECOND_MS],
    [80_000, HOUR_MS],
  ])('gives %i nodes %i ms', (nodes, ms) => {
    expect(computeTimeoutMs(nodes)).toBe(ms);
  });

  it('succeeds if one of its nodes was removed by hand', async () => {
    const world = await withCommand(command({ candidates: ['gone', 'a'] }));
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual(['a']);
    expect((await world.ports.commands.list()).records).toEqual([]);
  });
});

describe('a Node that changes at the same moment', () => {
  /** Every read is a copy, so that no change matches the Node that was read. */
  const withStaleReads = ({ ports, objects }: FakeWorld): Ports => ({
    ...ports,
    cluster: {
      ...ports.cluster,
      observe: async () => ({ ...objects, nodes: objects.nodes.map((node) => ({ ...node })) }),
    },
  });

  it('is tainted a second later', async () => {
    const world = await withCommand(command());
    await reconcileDisruption(withStaleReads(world));

    expect(await deletedClaims(world)).toEqual([]);
    expect((await world.ports.commands.list()).records).toHaveLength(1);
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'disrupt' },
      at: world.now + SECOND_MS,
    });
  });

  it('is untainted later, without an error', async () => {
    const world = await withNodes('a');
    world.objects = {
      ...world.objects,
      nodes: world.objects.nodes.map((node) => ({ ...node, taints: [DISRUPTED_TAINT] })),
    };
    await reconcileDisruption(withStaleReads(world));

    expect(tainted(world)).toEqual(['a']);
    expect(takeHints(world)).toContainEqual({ hint: { topic: 'disrupt' }, at: world.now });
  });
});

describe('an invocation that crashes during a command', () => {
  const finish = async (world: FakeWorld) => {
    // After this time the answer of EC2 will not be recorded any more.
    world.now += 40 * SECOND_MS;
    await reconcile(world);
    await reconcileNodeClaim(world.ports, 'new');
    await initialize(world, 'new');
    await reconcile(world);
  };

  it.each<CrashMoment>(['before', 'after'])(
    'is continued, whichever call it crashed at: %s it took effect',
    async (moment) => {
      for (let call = 1; call <= 30; call += 1) {
        const world = await withCommand(replacedBy('new'));
        await survives(crashingPorts(world.ports, call, moment), reconcileDisruption);
        await finish(world);

        expect(await deletedClaims(world)).toEqual(['a']);
        expect([...world.instances.values()].map(({ claim }) => claim)).toEqual(['a', 'b', 'new']);
      }
    },
  );

  it.each<CrashMoment>(['before', 'after'])(
    'has its nodes removed once they are replaced, whichever call it crashed at: %s it took effect',
    async (moment) => {
      const untilReplaced = async (ports: Ports, world: FakeWorld) => {
        await reconcileDisruption(ports);
        await initialize(world, 'new');
      };
      for (let call = 1; call <= 30; call += 1) {
        const world = await withCommand(replacedBy('new'));
        await untilReplaced(world.ports, world);
        await survives(crashingPorts(world.ports, call, moment), reconcileDisruption);
        await reconcile(world);

        expect(await deletedClaims(world)).toEqual(['a']);
        expect((await world.ports.commands.list()).records.filter(({ id }) => id === 'd-1')).toEqual([]);
      }
    },
  );
});

describe('the command for an unhealthy node', () => {
  it('removes it with the time that its condition gives the drain', async () => {
    const repair = { condition: 'Ready', status: 'False', since: NOON - HOUR_MS, drainMs: 10 * MINUTE_MS } as const;
    const world = await withCommand(command({ reason: 'Unhealthy', repair }));
    await reconcile(world);

    const claim = (await world.ports.nodeClaims.find('a'))?.claim;
    expect(claim).toMatchObject({ removal: 'Unhealthy', drainDeadline: world.now + 10 * MINUTE_MS });
  });
});
