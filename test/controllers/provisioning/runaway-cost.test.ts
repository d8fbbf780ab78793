import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCommand } from '../../../shared/controllers/disruption/commands.ts';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { computeCapUse, splitByCaps } from '../../../shared/controllers/provisioning/launch-caps.ts';
import { reconcileProvisioning } from '../../../shared/controllers/provisioning/reconcile.ts';
import { CAPACITY_TYPE_LABEL } from '../../../shared/model/labels.ts';
import type { PlannedClaim } from '../../../shared/model/plans.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { withUnreadableRows } from '../../faults/runtime/unreadable-rows.ts';
import { aLaunch, aNodeClaim, anOffering, aSnapshot, NOON, podsOf, ZONES } from '../../support/builders.ts';
import { replacedBy, withNodes } from '../disruption/disruption-world.ts';
import { aFakeWorld, claimOf, claimsOf, type FakeWorld, joinNode, takeHints } from '../support/fake-ports.ts';

describe('a pool whose nodes do not register', () => {
  /** Lets a node of the pool fail now. */
  async function fail(world: FakeWorld, name: string): Promise<void> {
    const createdAt = world.now - 15 * MINUTE_MS;
    const launch = aLaunch({ providerId: `aws:///z/${name}` });
    await world.ports.nodeClaims.save(aNodeClaim({ name, createdAt, launch }), 0);
    await reconcileNodeClaim(world.ports, name);
  }
  const backoff = async (world: FakeWorld) => (await world.ports.poolBackoffs.list('registration'))[0];

  it('backs off for a minute, then two, and at most an hour', async () => {
    const world = aFakeWorld();
    const rests: number[] = [];
    for (let failure = 1; failure <= 8; failure += 1) {
      await fail(world, `general-${failure}`);
      rests.push(((await backoff(world))?.until ?? 0) - world.now);
      world.now += 2 * HOUR_MS;
    }

    expect(rests.map((ms) => ms / MINUTE_MS)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('counts nodes that fail together once', async () => {
    const world = aFakeWorld();
    for (let node = 1; node <= 20; node += 1) await fail(world, `general-${node}`);

    expect(await backoff(world)).toMatchObject({ failures: 1, until: NOON + MINUTE_MS });
  });

  it('gets no node while it backs off, and its pods show why', async () => {
    const world = aFakeWorld({ pods: podsOf(1) });
    await world.ports.poolBackoffs.save('registration', { pool: 'general', failures: 1, until: NOON + MINUTE_MS });
    world.now += 2 * SECOND_MS;
    await reconcileProvisioning(world.ports);

    expect(await claimsOf(world)).toEqual([]);
    expect(world.events).toMatchObject([
      {
        kind: 'unplaced',
        text: 'general: not Ready: NodeRegistrationHealthy, its nodes did not join, the next is launched after 2026-01-01T12:01:00Z',
      },
    ]);

    world.now += MINUTE_MS;
    await reconcileProvisioning(world.ports);
    expect(await claimsOf(world)).toHaveLength(1);
  });

  it('starts its backoff anew once one of its nodes has registered', async () => {
    const world = aFakeWorld();
    await world.ports.poolBackoffs.save('registration', { pool: 'general', failures: 5, until: NOON });
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'general-1' }), 0);
    await reconcileNodeClaim(world.ports, 'general-1');
    joinNode(world, 'general-1');
    await reconcileNodeClaim(world.ports, 'general-1');

    expect(await backoff(world)).toBeUndefined();
  });
});

const cappedIn = (world: FakeWorld) => world.events.filter(({ kind }) => kind === 'capped');

describe('the launch caps of a cluster', () => {
  const planned = (count: number): readonly PlannedClaim[] =>
    Array.from({ length: count }, (_, index) => ({
      claim: aNodeClaim({ name: `new-${index}` }),
      pods: [],
      cheapest: anOffering({ hourlyUsd: 0.1 }),
    }));

  it.each([
    ['the launches of the last minute', { launchesPerMinute: 5, hourlyUsd: 100 }, 3],
    ['the price of all instances', { launchesPerMinute: 100, hourlyUsd: 1.25 }, 2],
  ])('withhold what exceeds %s', (_, caps, allowed) => {
    const claims = [
      aNodeClaim({
        name: 'a',
        createdAt: NOON - 59 * SECOND_MS,
        launch: aLaunch({ hourlyUsd: 1 }),
      }),
      aNodeClaim({ name: 'b', createdAt: NOON - SECOND_MS }),
      aNodeClaim({ name: 'c', createdAt: NOON - MINUTE_MS }),
    ];

    const result = splitByCaps(planned(10), { ...caps, use: computeCapUse(claims, [], NOON) });

    expect(result.allowed).toEqual(planned(10).slice(0, allowed));
    expect(result.withheld).toEqual(planned(10).slice(allowed));
  });

  it('are never exceeded', () => {
    fc.assert(
      fc.property(fc.nat(30), fc.nat(20), fc.nat(20), (count, launchesPerMinute, hourlyUsd) => {
        const { allowed, withheld } = splitByCaps(planned(count), {
          launchesPerMinute,
          hourlyUsd,
          use: computeCapUse([], [], 0),
        });
        expect(allowed.length + withheld.length).toBe(count);
        expect(allowed.length).toBeLessThanOrEqual(launchesPerMinute);
        expect(allowed.length * 0.1).toBeLessThanOrEqual(hourlyUsd + 1e-9);
      }),
    );
  });

  it('count nodes that were launched within the minute and have ended since', async () => {
    const launchCaps = { launchesPerMinute: 2, hourlyUsd: 100 };
    const world = aFakeWorld({ pods: podsOf(3) });
    world.now += 2 * SECOND_MS;
    const record = { id: 'l', attempt: 1, claims: ['a', 'b'], calledAt: NOON, closedAt: NOON };
    const launches = { a: aLaunch({ at: NOON }), b: aLaunch({ at: world.now - MINUTE_MS }) };
    await world.ports.launches.save({ ...record, launches }, 0);
    await reconcileProvisioning({ ...world.ports, launchCaps });

    expect(await claimsOf(world)).toHaveLength(1);
  });

  it.each([
    ['of this minute', 'p-20260101T120000Z-abcd-0', 0],
    ['of two minutes ago', 'p-20260101T115800Z-abcd-0', 2],
    ['of a standalone NodeClaim', 'b1946ac9-2c3e-4d67-9a0f-3d5f1c6f8e11', 1],
  ])('count a launch record that cannot be read as the most that it may have launched: %s', async (_, id, claims) => {
    const launchCaps = { launchesPerMinute: 2, hourlyUsd: 100 };
    const world = aFakeWorld({ pods: podsOf(3) });
    world.now += 2 * SECOND_MS;
    const record = { id, attempt: 1, claims: ['a'], calledAt: NOON, launches: {} };
    await world.ports.launches.save(record, 0);
    const unreadable = withUnreadableRows(world.ports, new Set([`Launch#${id}`]));
    await reconcileProvisioning({ ...world.ports, ...unreadable, launchCaps });

    expect(await claimsOf(world)).toHaveLength(claims);
  });

  it('count a claim that waits for its instance at its lowest price', () => {
    const onDemand = { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['on-demand'] } as const;
    const offerings = [
      anOffering({ hourlyUsd: 0.3 }),
      anOffering({ hourlyUsd: 0.2, zone: ZONES[1] }),
      anOffering({ hourlyUsd: 0.1, capacityType: 'spot' }),
      anOffering({ hourlyUsd: 0.01, instanceType: 't4g.nano' }),
    ];
    const waiting = aNodeClaim({ requirements: [onDemand] });

    expect(computeCapUse([waiting], offerings, NOON).usd).toBe(0.2);
    expect(computeCapUse([waiting], [], NOON).usd).toBe(0);
  });

  it('have every plan that they limit ask for the same next plan', async () => {
    const launchCaps = { launchesPerMinute: 1, hourlyUsd: 1 };
    const world = aFakeWorld({ pods: podsOf(3) });
    for (const seconds of [2, 5, 9]) {
      world.now = NOON + seconds * SECOND_MS;
      await reconcileProvisioning({ ...world.ports, launchCaps });
    }

    const plans = takeHints(world).filter(({ hint }) => hint.topic === 'plan');
    expect(plans.map(({ at }) => at)).toEqual([NOON + 40 * SECOND_MS]);
  });

  it('withhold the replacement of a node, which keeps running', async () => {
    const world = await withNodes('a');
    const caps = { launchesPerMinute: 1_000, hourlyUsd: 0.05 };
    const ports = { ...world.ports, launchCaps: caps };
    await startCommand(ports, replacedBy('new'), aSnapshot({ takenAt: world.now }));

    expect(await claimOf(world, 'new')).toBeUndefined();
    expect((await world.ports.commands.list()).records).toEqual([]);
    expect(world.events).toEqual([
      {
        kind: 'capped',
        at: world.now,
        nodes: 1,
        cap: { name: 'maxHourlyUsd', limit: 0.05 },
        pods: [],
        podCount: 0,
        claims: replacedBy('new').candidates,
      },
    ]);
  });

  it('withhold nodes of a plan, which is reported and planned again later', async () => {
    const world = aFakeWorld({ pods: podsOf(3) });
    world.now += 2 * SECOND_MS;
    const caps = { launchesPerMinute: 2, hourlyUsd: 100 };
    await reconcileProvisioning({ ...world.ports, launchCaps: caps });

    expect(await claimsOf(world)).toHaveLength(2);
    expect(cappedIn(world)).toMatchObject([
      { nodes: 1, cap: { name: 'launchesPerMinute', limit: 2 }, podCount: 1, claims: [] },
    ]);
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'plan' },
      at: NOON + 40 * SECOND_MS,
    });
  });
});
