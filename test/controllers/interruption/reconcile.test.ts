import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { reconcileInterruption } from '../../../shared/controllers/interruption/reconcile.ts';
import { instrumentPorts } from '../../../shared/controllers/metrics/instrument-ports.ts';
import { memoryTelemetry } from '../../support/memory-telemetry.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { InterruptionNotice } from '../../../shared/ports/work-queue.ts';
import { aLaunch, NOON } from '../../support/builders.ts';
import { type CrashMoment, crashing, survives } from '../crash/crash.ts';
import { addRunning, aFakeWorld, claimOf, providerIdOf, takeHints } from '../support/fake-ports.ts';

const NAME = 'general-1';
const notice = (over: Partial<InterruptionNotice> = {}): InterruptionNotice => ({
  kind: 'spot-interruption',
  providerId: providerIdOf(NAME),
  at: NOON,
  ...over,
});

async function withSpotNode(over: Parameters<typeof addRunning>[2] = {}) {
  const world = aFakeWorld();
  const launch = aLaunch({ providerId: providerIdOf(NAME), capacityType: 'spot' });
  await addRunning(world, NAME, { launch, ...over });
  return world;
}

describe('a spot interruption', () => {
  it('23.12-135: removes the claim within the two minutes, and avoids the offering', async () => {
    const world = await withSpotNode();
    await reconcileInterruption(world.ports, notice());

    const deadline = NOON + 2 * MINUTE_MS;
    expect(await claimOf(world, NAME)).toMatchObject({
      deletingAt: NOON,
      removal: 'Interrupted',
      interruption: 'spot_interrupted',
      drainDeadline: deadline,
    });
    expect(await world.ports.unavailableOfferings.list(NOON)).toEqual([
      {
        instanceType: 'm7i.large',
        zone: 'us-east-1a',
        capacityType: 'spot',
        until: NOON + 3 * MINUTE_MS,
      },
    ]);
    expect(world.events).toEqual([{ kind: 'interruption', at: NOON, claim: NAME, deadline }]);
    expect(takeHints(world)).toEqual([
      { hint: { topic: 'plan' }, at: NOON },
      { hint: { topic: 'claim', claim: NAME }, at: NOON + SECOND_MS },
    ]);
  });

  it('wakes its claim and is told of, also while the cluster cannot be shown that it goes', async () => {
    const world = await withSpotNode();
    world.ports.cluster.projectNodeClaim = async () => {
      throw new Error('the API server does not answer');
    };
    await reconcileInterruption(world.ports, notice());

    expect(world.events).toMatchObject([{ kind: 'interruption' }]);
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'claim', claim: NAME },
      at: NOON + SECOND_MS,
    });
  });

  it.each<CrashMoment>(['before', 'after'])(
    '22.4: has its claim woken by the notice that comes again, whichever call it died at: %s it took effect',
    async (moment) => {
      for (let call = 1; call <= 12; call += 1) {
        const world = await withSpotNode();
        await survives(crashing(world.ports, call, moment), (ports) =>
          reconcileInterruption(ports, notice()),
        );
        await reconcileInterruption(world.ports, notice());

        expect(await claimOf(world, NAME)).toHaveProperty('deletingAt', NOON);
        expect(takeHints(world)).toContainEqual({
          hint: { topic: 'claim', claim: NAME },
          at: NOON + SECOND_MS,
        });
      }
    },
  );

  it.each([
    ['spot-interruption', 'spot_interrupted'],
    ['reservation-interruption', 'capacity_reservation_interrupted'],
    ['scheduled-change', 'scheduled_change'],
  ] as const)('N1: is counted once by what EC2 said: %s', async (kind, reason) => {
    const world = await withSpotNode();
    const telemetry = memoryTelemetry();
    const ports = instrumentPorts(world.ports, telemetry);
    await reconcileInterruption(ports, notice({ kind }));
    await reconcileInterruption(ports, notice({ kind }));

    const labels = `{reason=${reason},nodepool=general,capacity_type=spot}`;
    expect(telemetry.series.get(`karpenter_nodeclaims_disrupted_total${labels}`)).toBe(1);
  });

  it('counts the two minutes from the notice, not from its arrival', async () => {
    const world = await withSpotNode();
    world.now = NOON + 30 * SECOND_MS;
    await reconcileInterruption(world.ports, notice());

    expect((await claimOf(world, NAME))?.drainDeadline).toBe(NOON + 2 * MINUTE_MS);
  });

  it('23.12-145: told twice is told of once', async () => {
    const world = await withSpotNode();
    await reconcileInterruption(world.ports, notice());
    await reconcileInterruption(world.ports, notice());

    expect(world.events).toHaveLength(1);
  });

  it('23.12-146: of a claim that is going already only brings its deadline forward', async () => {
    const world = await withSpotNode({ deletingAt: NOON - MINUTE_MS, removal: 'Empty' });
    await reconcileInterruption(world.ports, notice());

    expect(await claimOf(world, NAME)).toMatchObject({
      deletingAt: NOON - MINUTE_MS,
      removal: 'Empty',
      drainDeadline: NOON + 2 * MINUTE_MS,
    });
    expect(world.events).toEqual([]);
  });
});

describe('a notice for an instance that is not known', () => {
  const foreign = notice({ providerId: 'aws:///us-east-1a/i-foreign' });

  it('23.14-169: is looked at again, for its launch may not be recorded yet', async () => {
    const world = await withSpotNode();
    await reconcileInterruption(world.ports, foreign);

    expect(takeHints(world)).toEqual([
      { hint: { topic: 'interruption', notice: foreign }, at: NOON + 5 * SECOND_MS },
    ]);
  });

  it('23.12-143: is let go after 20 s', async () => {
    const world = await withSpotNode();
    world.now = NOON + 16 * SECOND_MS;
    await reconcileInterruption(world.ports, foreign);

    expect(world.sent).toEqual([]);
  });
});

it('23.12-136: a rebalance recommendation is told of and changes nothing', async () => {
  const world = await withSpotNode();
  const before = await claimOf(world, NAME);
  await reconcileInterruption(world.ports, notice({ kind: 'rebalance-recommendation' }));

  expect(await claimOf(world, NAME)).toBe(before);
  expect(world.events).toEqual([{ kind: 'rebalance', at: NOON, claim: NAME }]);
  expect(world.sent).toEqual([]);
});

describe('an interruption of a claim that is no more', () => {
  it('N7: is none of a claim that has ended', async () => {
    const world = await withSpotNode({ deletingAt: NOON - MINUTE_MS, terminatedAt: NOON });
    await reconcileInterruption(world.ports, notice());

    expect(world.events).toEqual([]);
  });

  it('N7: is let go where the claim ends while it is looked at', async () => {
    const world = await withSpotNode();
    const stored = await world.ports.nodeClaims.list();
    const nodeClaims = { ...world.ports.nodeClaims, find: async () => undefined };
    await reconcileInterruption(
      { ...world.ports, nodeClaims: { ...nodeClaims, list: async () => stored } },
      notice(),
    );

    expect(world.events).toEqual([]);
    expect(world.sent).toEqual([]);
  });
});

describe('a reservation that is taken back', () => {
  it('23.12-140: has the node leave within the two minutes, and nothing launched there', async () => {
    const world = aFakeWorld();
    const launch = aLaunch({ providerId: providerIdOf(NAME), capacityType: 'reserved' });
    await addRunning(world, NAME, { launch });
    await reconcileInterruption(world.ports, notice({ kind: 'reservation-interruption' }));

    const deadline = NOON + 2 * MINUTE_MS;
    expect(await claimOf(world, NAME)).toMatchObject({
      interruption: 'capacity_reservation_interrupted',
      drainDeadline: deadline,
    });
    expect(await world.ports.unavailableOfferings.list(NOON)).toMatchObject([
      { capacityType: 'reserved' },
    ]);
    expect(world.events).toEqual([
      { kind: 'interruption', at: NOON, claim: NAME, deadline, reserved: true },
    ]);
  });
});

describe('notices of other kinds', () => {
  it('a scheduled change drains the node, and sets no deadline', async () => {
    const world = await withSpotNode();
    await reconcileInterruption(world.ports, notice({ kind: 'scheduled-change' }));

    const claim = await claimOf(world, NAME);
    expect(claim).toMatchObject({ deletingAt: NOON, removal: 'Interrupted' });
    expect(claim?.drainDeadline).toBeUndefined();
    expect(await world.ports.unavailableOfferings.list(NOON)).toEqual([]);
  });

  it.each(['instance-stopped', 'instance-terminated'] as const)(
    'N4: has EC2 asked what became of the instance: %s',
    async (kind) => {
      const world = await withSpotNode();
      await reconcileInterruption(world.ports, notice({ kind }));

      expect((await claimOf(world, NAME))?.deletingAt).toBeUndefined();
      expect(takeHints(world)).toEqual([
        { hint: { topic: 'claim', claim: NAME, inDoubt: true }, at: NOON },
      ]);
    },
  );

  it.each([
    ['stopped', 'instance_stopped'],
    ['shutting-down', 'instance_terminated'],
  ] as const)(
    'N4: 23.12-139: an instance that is %s takes its claim along, however well its Node looks',
    async (state, cause) => {
      const world = await withSpotNode();
      const providerId = providerIdOf(NAME);
      world.instances.set(providerId, { providerId, claim: NAME, state });
      await dispatch(world.ports, { topic: 'claim', claim: NAME });
      expect((await claimOf(world, NAME))?.deletingAt).toBeUndefined();

      await dispatch(world.ports, { topic: 'claim', claim: NAME, inDoubt: true });

      expect(await claimOf(world, NAME)).toMatchObject({
        deletingAt: NOON,
        removal: 'Interrupted',
        interruption: cause,
      });
      expect(world.events).toContainEqual({ kind: 'impaired', at: NOON, claim: NAME, cause });
    },
  );

  it('N4: an instance that runs keeps its claim, whatever a notice said', async () => {
    const world = await withSpotNode();
    await dispatch(world.ports, { topic: 'claim', claim: NAME, inDoubt: true });

    expect((await claimOf(world, NAME))?.deletingAt).toBeUndefined();
  });

  it('a state change has the claim looked at, and is not believed', async () => {
    const world = await withSpotNode();
    await reconcileInterruption(world.ports, notice({ kind: 'state-change' }));

    expect((await claimOf(world, NAME))?.deletingAt).toBeUndefined();
    expect(takeHints(world)).toEqual([{ hint: { topic: 'claim', claim: NAME }, at: NOON }]);
  });

  it("SV-24: a state change of a stranger's instance leads to nothing", async () => {
    const world = await withSpotNode();
    const providerId = 'aws:////i-stranger';
    await reconcileInterruption(world.ports, notice({ kind: 'state-change', providerId }));

    expect(takeHints(world)).toEqual([]);
  });

  it('an instance is known by its id, for events leave the zone out', async () => {
    const world = await withSpotNode();
    await reconcileInterruption(world.ports, notice({ providerId: `aws:////i-${NAME}` }));

    expect((await claimOf(world, NAME))?.removal).toBe('Interrupted');
  });
});
