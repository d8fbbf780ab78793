import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { StaleNodeClaimError } from '../../../shared/model/errors.ts';
import { UNREGISTERED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { aNodeClaim, anOffering, NOON } from '../../support/builders.ts';
import { aFakeWorld, claimOf, joinNode, providerIdOf, takeHints } from '../support/fake-ports.ts';
import { NAME, reconcile, withStoredClaim } from './claim-worlds.ts';

describe('a new claim', () => {
  it('is launched if its launch crashed', async () => {
    const world = await withStoredClaim();
    await reconcile(world);

    expect(await claimOf(world, NAME)).toMatchObject({
      launch: { providerId: providerIdOf(NAME) },
      labels: { 'karpenter.sh/nodepool': 'general', 'topology.kubernetes.io/zone': 'us-east-1a' },
    });
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'claim', claim: NAME },
      at: NOON + 15 * SECOND_MS,
    });
  });

  it('leaves further steps to the next run if its time ends', async () => {
    const world = await withStoredClaim();
    await reconcileNodeClaim({ ...world.ports, timeLeft: () => 14_999 }, NAME);

    expect(await claimOf(world, NAME)).toMatchObject({ launch: { at: NOON } });
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'claim', claim: NAME },
      at: NOON + SECOND_MS,
    });
  });

  it('gets one instance', async () => {
    const world = await withStoredClaim();
    await Promise.all([reconcile(world), reconcile(world)]);
    await reconcile(world);

    expect([...world.instances.keys()]).toEqual([providerIdOf(NAME)]);
    expect(await claimOf(world, NAME)).toMatchObject({ launch: { at: NOON } });
  });

  it('registers and initializes a Node that joined ready', async () => {
    const world = await withStoredClaim();
    await reconcile(world);
    joinNode(world, NAME, { taints: [UNREGISTERED_TAINT] });
    world.now = NOON + 40 * SECOND_MS;
    await reconcile(world);

    expect(await claimOf(world, NAME)).toMatchObject({
      registeredAt: world.now,
      initializedAt: world.now,
      nodeName: NAME,
    });
    expect(world.objects.nodes).toMatchObject([
      {
        taints: [],
        finalizers: ['karpenter.sh/termination'],
        labels: { 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' },
      },
    ]);
    expect(world.events.at(-1)).toEqual({
      kind: 'ready',
      at: world.now,
      claim: NAME,
      waitedMs: 40 * SECOND_MS,
    });
  });

  it('keeps its new node for the pods that it was launched for', async () => {
    const world = await withStoredClaim();
    await reconcile(world);
    joinNode(world, NAME);
    await reconcile(world);

    expect(Object.keys(await world.ports.nominations.list(NOON))).toEqual([NAME]);
  });

  it('continues the command that waits for it', async () => {
    const world = await withStoredClaim();
    const replacement = { claim: aNodeClaim(), pods: [], cheapest: anOffering() };
    await world.ports.commands.add({
      id: 'd-1',
      reason: 'Drifted',
      decidedAt: NOON,
      validatedAt: NOON,
      candidates: ['old'],
      replacements: [replacement],
      placements: [],
      savingHourlyUsd: 0,
    });
    await reconcile(world);
    joinNode(world, NAME);
    await reconcile(world);

    expect(takeHints(world)).toContainEqual({ hint: { topic: 'disrupt' }, at: NOON });
  });

  it('is reconciled again if the Node changed in between', async () => {
    const world = await withStoredClaim();
    await reconcile(world);
    joinNode(world, NAME);
    const { cluster } = world.ports;
    const stale = {
      ...cluster,
      observe: async () => ({
        ...world.objects,
        nodes: world.objects.nodes.map((n) => ({ ...n })),
      }),
    };
    takeHints(world);
    await reconcileNodeClaim({ ...world.ports, cluster: stale }, NAME);

    expect((await claimOf(world, NAME))?.registeredAt).toBeUndefined();
    expect(takeHints(world)).toEqual([{ hint: { topic: 'claim', claim: NAME }, at: NOON + SECOND_MS }]);
  });

  it('is reconciled again if another writer came first, and reports nothing', async () => {
    const world = await withStoredClaim();
    await reconcile(world);
    const launched = [...world.events];
    joinNode(world, NAME);
    const nodeClaims = {
      ...world.ports.nodeClaims,
      save: async () => {
        throw new StaleNodeClaimError(NAME);
      },
    };
    await reconcileNodeClaim({ ...world.ports, nodeClaims }, NAME);

    expect(launched).toMatchObject([{ kind: 'launch', claim: NAME, pods: [] }]);
    expect(world.events).toEqual(launched);
  });

  it('is ignored if its name is unknown', async () => {
    const world = aFakeWorld();
    await reconcile(world);

    expect(world.sent).toEqual([]);
  });
});
