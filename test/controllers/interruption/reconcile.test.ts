import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { reconcileInterruption } from '../../../shared/controllers/interruption/reconcile.ts';
import { instrumentPorts } from '../../../shared/controllers/metrics/instrument-ports.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { InterruptionNotice } from '../../../shared/ports/work-queue.ts';
import { aLaunch, aNodePool, aRunningPod, NOON } from '../../support/builders.ts';
import { memoryTelemetry } from '../../support/memory-telemetry.ts';
import { crashingPorts, survives } from '../crash/crashing-ports.ts';
import type { CrashMoment } from '../crash/effects.ts';
import {
  addRunning,
  aFakeWorld,
  claimOf,
  claimsOf,
  type FakeWorld,
  providerIdOf,
  takeHints,
} from '../support/fake-ports.ts';

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
  it('deletes the claim within two minutes and marks the offering as unavailable', async () => {
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

  it("sends the claim's hint and is reported even while the cluster cannot be updated", async () => {
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
    'has the claim reconciled by the redelivered notice, whichever call it crashed at: %s it took effect',
    async (moment) => {
      for (let call = 1; call <= 12; call += 1) {
        const world = await withSpotNode();
        await survives(crashingPorts(world.ports, call, moment), (ports) => reconcileInterruption(ports, notice()));
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
  ] as const)("is counted once under EC2's message type: %s", async (kind, reason) => {
    const world = await withSpotNode();
    const telemetry = memoryTelemetry();
    const ports = instrumentPorts(world.ports, telemetry);
    await reconcileInterruption(ports, notice({ kind }));
    await reconcileInterruption(ports, notice({ kind }));

    const labels = `{reason=${reason},nodepool=general,capacity_type=spot,consolidation_policy=,termination_mode=graceful}`;
    expect(telemetry.series.get(`karpenter_nodeclaims_disrupted_total${labels}`)).toBe(1);
  });

  it('counts the two minutes from the notice, not from its arrival', async () => {
    const world = await withSpotNode();
    world.now = NOON + 30 * SECOND_MS;
    await reconcileInterruption(world.ports, notice());

    expect((await claimOf(world, NAME))?.drainDeadline).toBe(NOON + 2 * MINUTE_MS);
  });

  it('is reported once if the notice arrives twice', async () => {
    const world = await withSpotNode();
    await reconcileInterruption(world.ports, notice());
    await reconcileInterruption(world.ports, notice());

    expect(world.events).toHaveLength(1);
  });

  it('brings the deadline forward if the claim is already being deleted', async () => {
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

describe('a notice for an unknown instance', () => {
  const foreign = notice({ providerId: 'aws:///us-east-1a/i-foreign' });

  it('is retried, because the launch may not be recorded yet', async () => {
    const world = await withSpotNode();
    await reconcileInterruption(world.ports, foreign);

    expect(takeHints(world)).toEqual([{ hint: { topic: 'interruption', notice: foreign }, at: NOON + 5 * SECOND_MS }]);
  });

  it('is dropped after 20 s', async () => {
    const world = await withSpotNode();
    world.now = NOON + 16 * SECOND_MS;
    await reconcileInterruption(world.ports, foreign);

    expect(world.sent).toEqual([]);
  });
});

it('reports a rebalance recommendation and changes nothing', async () => {
  const world = await withSpotNode();
  const before = await claimOf(world, NAME);
  await reconcileInterruption(world.ports, notice({ kind: 'rebalance-recommendation' }));

  expect(await claimOf(world, NAME)).toBe(before);
  expect(world.events).toEqual([{ kind: 'rebalance', at: NOON, claim: NAME }]);
  expect(world.sent).toEqual([]);
});

describe('a rebalance recommendation with the policy Replace', () => {
  const recommended = notice({ kind: 'rebalance-recommendation' });
  async function recommend(world: FakeWorld): Promise<Ports> {
    const ports = {
      ...world.ports,
      settings: { ...DEFAULT_SETTINGS, rebalancePolicy: 'Replace' as const },
    };
    await reconcileInterruption(ports, recommended);
    return ports;
  }

  it('marks the claim and avoids its spot pool', async () => {
    const world = await withSpotNode();
    const ports = await recommend(world);

    expect(await claimOf(world, NAME)).toMatchObject({ rebalanceRecommendedAt: NOON });
    expect(await ports.unavailableOfferings.list(NOON)).toMatchObject([
      { instanceType: 'm7i.large', zone: 'us-east-1a', capacityType: 'spot' },
    ]);
    expect(world.events).toEqual([{ kind: 'rebalance', at: NOON, claim: NAME, replaced: true }]);
    expect(takeHints(world)).toEqual([{ hint: { topic: 'disrupt' }, at: NOON }]);
  });

  it('changes nothing more if it is repeated', async () => {
    const world = await withSpotNode();
    const ports = await recommend(world);
    world.now += MINUTE_MS;
    await reconcileInterruption(ports, recommended);

    expect(await claimOf(world, NAME)).toMatchObject({ rebalanceRecommendedAt: NOON });
  });

  const withBudget = (nodes: string) =>
    aNodePool({
      disruption: {
        consolidateAfterMs: 'Never',
        policy: 'WhenEmpty',
        budgets: [{ nodes, reasons: ['Drifted'] }],
      },
    });

  it.each([
    ['100%', 1],
    ['0', 0],
  ])('launches the replacement before the node drains, within a budget of %s', async (budget, replacements) => {
    const pods = [aRunningPod(NAME, { owner: { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' } })];
    const world = aFakeWorld({ pools: [withBudget(budget)], pods });
    const launch = aLaunch({ providerId: providerIdOf(NAME), capacityType: 'spot' });
    await addRunning(world, NAME, { launch });
    const ports = await recommend(world);
    await reconcileDisruption(ports);

    const claims = await claimsOf(world);
    expect(claims.filter(({ name }) => name !== NAME)).toHaveLength(replacements);
    expect(await claimOf(world, NAME)).not.toHaveProperty('deletingAt');
    expect((await ports.commands.list()).records.map(({ reason }) => reason)).toEqual(
      replacements === 1 ? ['Drifted'] : [],
    );
    expect((await claimOf(world, NAME))?.drift?.reason).toBe('RebalanceRecommended');
  });
});

describe('an interruption of a terminated claim', () => {
  it('is ignored', async () => {
    const world = await withSpotNode({ deletingAt: NOON - MINUTE_MS, terminatedAt: NOON });
    await reconcileInterruption(world.ports, notice());

    expect(world.events).toEqual([]);
  });

  it('is ignored if the claim terminates while it is handled', async () => {
    const world = await withSpotNode();
    const nodeClaims = { ...world.ports.nodeClaims, find: async () => undefined };
    await reconcileInterruption({ ...world.ports, nodeClaims }, notice());

    expect(world.events).toEqual([]);
    expect(world.sent).toEqual([]);
  });
});

describe('a reservation interruption', () => {
  it('drains the node within two minutes and launches nothing in its place', async () => {
    const world = aFakeWorld();
    const labels = { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' };
    const launch = aLaunch({ providerId: providerIdOf(NAME), capacityType: 'reserved', labels });
    await addRunning(world, NAME, { launch });
    await reconcileInterruption(world.ports, notice({ kind: 'reservation-interruption' }));

    const deadline = NOON + 2 * MINUTE_MS;
    expect(await claimOf(world, NAME)).toMatchObject({
      interruption: 'capacity_reservation_interrupted',
      drainDeadline: deadline,
    });
    expect(await world.ports.unavailableOfferings.list(NOON)).toMatchObject([
      { capacityType: 'reserved', reservationId: 'cr-1' },
    ]);
    expect(world.events).toEqual([{ kind: 'interruption', at: NOON, claim: NAME, deadline, reserved: true }]);
  });
});

describe('other notices', () => {
  it('drain the node without a deadline for a scheduled change', async () => {
    const world = await withSpotNode();
    await reconcileInterruption(world.ports, notice({ kind: 'scheduled-change' }));

    const claim = await claimOf(world, NAME);
    expect(claim).toMatchObject({ deletingAt: NOON, removal: 'Interrupted' });
    expect(claim?.drainDeadline).toBeUndefined();
    expect(await world.ports.unavailableOfferings.list(NOON)).toEqual([]);
  });

  it.each(['instance-stopped', 'instance-terminated'] as const)(
    'ask EC2 for the state of the instance: %s',
    async (kind) => {
      const world = await withSpotNode();
      await reconcileInterruption(world.ports, notice({ kind }));

      expect((await claimOf(world, NAME))?.deletingAt).toBeUndefined();
      expect(takeHints(world)).toEqual([{ hint: { topic: 'claim', claim: NAME, inDoubt: true }, at: NOON }]);
    },
  );

  it.each([
    ['stopped', 'instance_stopped'],
    ['shutting-down', 'instance_terminated'],
  ] as const)('delete the claim of an instance that is %s, even if its Node looks healthy', async (state, cause) => {
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
  });

  it('keep the claim of a running instance, whatever the notice says', async () => {
    const world = await withSpotNode();
    await dispatch(world.ports, { topic: 'claim', claim: NAME, inDoubt: true });

    expect((await claimOf(world, NAME))?.deletingAt).toBeUndefined();
  });

  it('reconcile the claim for a state change, without trusting its content', async () => {
    const world = await withSpotNode();
    await reconcileInterruption(world.ports, notice({ kind: 'state-change' }));

    expect((await claimOf(world, NAME))?.deletingAt).toBeUndefined();
    expect(takeHints(world)).toEqual([{ hint: { topic: 'claim', claim: NAME }, at: NOON }]);
  });

  it('ignore a state change of a foreign instance', async () => {
    const world = await withSpotNode();
    const providerId = 'aws:////i-stranger';
    await reconcileInterruption(world.ports, notice({ kind: 'state-change', providerId }));

    expect(takeHints(world)).toEqual([]);
  });

  it('find the instance by its id, because events leave the zone out', async () => {
    const world = await withSpotNode();
    await reconcileInterruption(world.ports, notice({ providerId: `aws:////i-${NAME}` }));

    expect((await claimOf(world, NAME))?.removal).toBe('Interrupted');
  });
});
