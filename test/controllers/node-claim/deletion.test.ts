import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { phaseOf } from '../../../shared/model/nodes/node-claim.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import { aNodeClaim, aPodDisruptionBudget, aRunningPod, NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, claimOf, type FakeWorld, providerIdOf, takeHints } from '../support/fake-ports.ts';
import { NAME, reconcile, runOn, withDeletedClaim, withStoredClaim } from './claim-worlds.ts';

async function runUntilTime(world: FakeWorld, until: number): Promise<void> {
  for (; world.now < until; world.now += 30 * SECOND_MS) await reconcile(world);
}

describe('a deleted claim', () => {
  it('evicts the pods, terminates the instance, and leaves nothing behind', async () => {
    const world = await withDeletedClaim();
    await reconcile(world);
    expect(world.podCalls).toEqual(['evict default/a', 'evict default/b']);
    expect(world.instances.size).toBe(1);

    await runOn(world, 1);
    const claim = await claimOf(world, NAME);
    expect(claim && phaseOf(claim)).toBe('terminated');
    expect(world.instances.size).toBe(0);
    expect(world.objects.nodes).toEqual([]);
    expect(world.projected.size).toBe(0);
    expect(world.events.map(({ kind }) => kind)).toEqual(['draining', 'evicted', 'evicted', 'terminated']);
  });

  it('reports each evicted pod with its node and the reason', async () => {
    const world = await withDeletedClaim();
    await reconcile(world);

    expect(world.events.filter(({ kind }) => kind === 'evicted')).toEqual(
      ['a', 'b'].map((name) => ({
        kind: 'evicted',
        at: NOON,
        claim: NAME,
        node: NAME,
        pod: `default/${name}`,
        reason: 'Expired',
      })),
    );
  });

  it('reports a refused eviction once and retries', async () => {
    const world = await withDeletedClaim();
    world.refusingBudgets.set('a', 'web');
    await reconcile(world);
    await runOn(world, 3);

    expect(world.events).toContainEqual({
      kind: 'eviction-refused',
      at: NOON,
      pod: 'default/a',
      pdb: 'web',
    });
    expect(world.events.filter(({ kind }) => kind === 'eviction-refused')).toHaveLength(1);
    expect(world.podCalls.filter((call) => call === 'evict default/a').length).toBeGreaterThan(3);
    expect((await claimOf(world, NAME))?.heldUpBy).toEqual({ 'default/web': NOON });

    world.refusingBudgets.clear();
    await runOn(world, 2);
    expect(world.objects.nodes).toEqual([]);
  });

  it('evicts the other pods of the node if the API server fails for one', async () => {
    const world = await withDeletedClaim();
    const cut = new Error('the connection was lost');
    const { evict } = world.ports.cluster;
    const cluster: Cluster = {
      ...world.ports.cluster,
      evict: async (pod) => {
        if (pod.name === 'a') throw cut;
        return evict(pod);
      },
    };

    await expect(reconcileNodeClaim({ ...world.ports, cluster }, NAME)).rejects.toBe(cut);

    expect(world.podCalls).toEqual(['evict default/b']);
    expect(world.instances.size).toBe(1);
  });

  it('asks an API server that is away for few pods only', async () => {
    const world = await withDeletedClaim();
    const pods = [...'abcdefgh'].map((name) => aRunningPod(NAME, { name }));
    world.objects = { ...world.objects, pods };
    let tries = 0;
    const cluster: Cluster = {
      ...world.ports.cluster,
      evict: async () => {
        tries += 1;
        throw new Error('no connection');
      },
    };

    await expect(reconcileNodeClaim({ ...world.ports, cluster }, NAME)).rejects.toThrow();

    expect(tries).toBe(3);
  });

  it('reports a drain that does not progress at once, then once an hour', async () => {
    const world = await withDeletedClaim();
    const budget = aPodDisruptionBudget();
    world.objects = { ...world.objects, podDisruptionBudgets: [budget] };
    world.refusingBudgets.set('a', 'web').set('b', 'web');
    await reconcile(world);
    const stuck = () => world.events.filter(({ kind }) => kind === 'drain-stuck');
    await runUntilTime(world, NOON + 5 * SECOND_MS);
    const report = { claim: NAME, blockers: [{ pod: 'default/a' }, { pod: 'default/b' }] };
    expect(stuck()).toMatchObject([report]);

    await runUntilTime(world, NOON + 59 * MINUTE_MS);
    expect(stuck()).toHaveLength(1);
    await runUntilTime(world, NOON + 2 * HOUR_MS);
    expect(stuck()).toHaveLength(2);
  });

  it('deletes the remaining pods at the deadline', async () => {
    const world = await withDeletedClaim();
    await world.ports.nodeClaims.save(
      { ...((await claimOf(world, NAME)) ?? aNodeClaim()), drainDeadline: NOON + MINUTE_MS },
      1,
    );
    world.refusingBudgets.set('a', 'web');
    await reconcile(world);
    await runOn(world, 8);

    expect(world.podCalls).toContain('delete default/a 25000');
    expect(world.objects.nodes).toEqual([]);
  });

  it('reports a budget once, however many pods it blocks', async () => {
    const world = await withDeletedClaim();
    world.refusingBudgets.set('a', 'web').set('b', 'web');
    await reconcile(world);

    expect(world.events.filter(({ kind }) => kind === 'eviction-refused')).toHaveLength(1);
  });

  it('evicts the other pods while the API server keeps one, and reports the reason once', async () => {
    const world = await withDeletedClaim();
    world.heldPods.set('a', 'admission webhook "guard" denied the request');
    await reconcile(world);
    await runOn(world, 2);

    expect(world.podCalls.filter((call) => call === 'evict default/b')).toHaveLength(1);
    expect(world.events.filter(({ kind }) => kind === 'eviction-failed')).toEqual([
      {
        kind: 'eviction-failed',
        at: NOON,
        pod: 'default/a',
        why: 'admission webhook "guard" denied the request',
      },
    ]);

    world.heldPods.clear();
    await runOn(world, 2);
    expect(world.objects.nodes).toEqual([]);
  });

  it('retries a pod that could not be deleted, while the others are deleted', async () => {
    const world = await withDeletedClaim();
    const claim = (await claimOf(world, NAME)) ?? aNodeClaim();
    await world.ports.nodeClaims.save({ ...claim, drainDeadline: NOON }, 1);
    world.heldPods.set('a', 'denied');
    await reconcile(world);

    expect(world.podCalls).toEqual(['delete default/a 1000', 'delete default/b 1000']);
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'claim', claim: NAME },
      at: NOON + SECOND_MS,
    });
  });

  it('has its pods planned together before the first of them is evicted', async () => {
    const world = aFakeWorld();
    await addRunning(world, NAME, { expireAfterMs: MINUTE_MS });
    world.now = NOON + 2 * MINUTE_MS;
    await reconcile(world);

    expect(await claimOf(world, NAME)).toMatchObject({ removal: 'Expired' });
    expect(world.objects.nodes).toMatchObject([{ taints: [] }]);
    expect(takeHints(world)).toEqual([
      { hint: { topic: 'plan' }, at: world.now },
      { hint: { topic: 'claim', claim: NAME }, at: world.now + SECOND_MS },
    ]);
  });

  it('terminates an instance whose launch was never recorded', async () => {
    const world = await withStoredClaim();
    const providerId = providerIdOf(NAME);
    world.instances.set(providerId, { providerId, claim: NAME, state: 'running' });
    const claim = (await claimOf(world, NAME)) ?? aNodeClaim();
    await world.ports.nodeClaims.save({ ...claim, deletingAt: NOON }, 1);
    await reconcile(world);
    await runOn(world, 1);

    expect(world.instances.size).toBe(0);
    expect(await claimOf(world, NAME)).toHaveProperty('terminatedAt');
  });
});

describe('a node with a deadline and a pod that never ends', () => {
  const DEADLINE = NOON + MINUTE_MS + 300;

  async function withDrain(): Promise<FakeWorld> {
    const world = aFakeWorld();
    await addRunning(world, NAME, {
      deletingAt: NOON,
      drainingAt: NOON,
      drainDeadline: DEADLINE,
    });
    const endless = aRunningPod(NAME, { deletionAt: DEADLINE });
    world.objects = { ...world.objects, pods: [endless] };
    return world;
  }
  const isRunning = (world: FakeWorld): boolean => world.instances.has(providerIdOf(NAME));

  it('is looked at two seconds before the deadline where the queue delays by whole seconds', async () => {
    const world = await withDrain();
    world.now = DEADLINE - 4 * SECOND_MS;
    await reconcileNodeClaim({ ...world.ports, sleep: async () => {} }, NAME);

    expect(takeHints(world)).toEqual([{ hint: { topic: 'claim', claim: NAME }, at: DEADLINE - 2 * SECOND_MS }]);
  });

  it('ends at the deadline to the millisecond, because the process waits for it', async () => {
    const world = await withDrain();
    const slept: number[] = [];
    const sleep = async (ms: number): Promise<void> => {
      expect(isRunning(world)).toBe(true);
      slept.push(ms);
      world.now += ms;
    };
    world.now = DEADLINE - 700;
    await reconcileNodeClaim({ ...world.ports, sleep }, NAME);

    expect(slept).toEqual([700]);
    expect(await claimOf(world, NAME)).toMatchObject({ terminatingAt: DEADLINE });
  });
});
