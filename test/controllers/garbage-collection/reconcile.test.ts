import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { storeClaim } from '../../../shared/controllers/support/claim-writes.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { InstanceFacts } from '../../../shared/ports/cloud.ts';
import type { LaunchRecord } from '../../../shared/ports/records.ts';
import { aLaunch, aNode, aNodeClaim, aRunningPod, NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, claimsOf, type FakeWorld, providerIdOf } from '../support/fake-ports.ts';
import { addInstance, hintedClaims, sweepTwice } from '../sweep-world.ts';

describe('an instance', () => {
  async function withFleet(size: number): Promise<FakeWorld> {
    const world = aFakeWorld();
    for (let index = 0; index < size; index += 1) await addRunning(world, `general-${index}`);
    return world;
  }

  it('is left alone if a claim has it', async () => {
    const world = await withFleet(3);
    await sweep(world.ports);

    expect(world.instances.size).toBe(3);
  });

  it('is terminated when its claim is terminated', async () => {
    const world = await withFleet(1);
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'old', terminatedAt: NOON }), 0);
    addInstance(world, 'old');
    await sweepTwice(world);

    expect([...world.instances.keys()]).toEqual([providerIdOf('general-0')]);
  });

  it('is terminated with its Node when two sweeps, a minute apart, found no claim', async () => {
    const world = await withFleet(1);
    addInstance(world, 'leaked');
    const providerId = providerIdOf('leaked');
    const { objects } = world;
    world.objects = {
      ...objects,
      nodes: [...objects.nodes, aNode({ name: 'leaked', providerId, finalizers: [], labels: {}, ready: false })],
    };

    await sweep(world.ports);
    expect(world.instances.has(providerId)).toBe(true);
    world.now += 20 * SECOND_MS;
    await sweep(world.ports);
    expect(world.instances.has(providerId)).toBe(true);
    world.now += 40 * SECOND_MS;
    await sweep(world.ports);

    expect([...world.instances.keys()]).toEqual([providerIdOf('general-0')]);
    expect(world.objects.nodes.map(({ name }) => name)).toEqual(['general-0']);
  });

  it('is counted anew if it had a claim in between', async () => {
    const world = await withFleet(1);
    addInstance(world, 'late');
    await sweep(world.ports);
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'late' }), 0);
    world.now += MINUTE_MS;
    await sweep(world.ports);

    expect(await world.ports.sweepState.read()).toMatchObject({
      tableSince: NOON,
      unexplained: {},
    });
  });

  it('is not terminated while a NodeClaim cannot be read', async () => {
    const world = await withFleet(1);
    addInstance(world, 'leaked');
    const unreadable = [{ kind: 'NodeClaim', name: 'odd', why: 'spec', forbids: [] }];
    world.objects = { ...world.objects, unreadable };
    await sweepTwice(world);

    expect(world.instances.has(providerIdOf('leaked'))).toBe(true);
  });

  it('is terminated when its claim has another instance', async () => {
    const world = await withFleet(1);
    const providerId = providerIdOf('launched-twice');
    world.instances.set(providerId, { providerId, claim: 'general-0', state: 'running' });
    await sweepTwice(world);

    expect([...world.instances.keys()]).toEqual([providerIdOf('general-0')]);
  });

  it('is left alone if its claim is stored but not launched', async () => {
    const world = await withFleet(1);
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'fresh' }), 0);
    addInstance(world, 'fresh');
    await sweep(world.ports);

    expect(world.instances.has(providerIdOf('fresh'))).toBe(true);
  });

  it('is left alone if too many instances are unexplained', async () => {
    const world = await withFleet(20);
    for (let index = 0; index < 10; index += 1) addInstance(world, `lost-${index}`);
    await sweepTwice(world);

    expect(world.instances.size).toBe(30);
    expect(world.events).toContainEqual({
      kind: 'unexplained',
      at: world.now,
      count: 10,
      fleet: 30,
    });
  });

  it('is terminated with many others once an operator has confirmed it', async () => {
    const world = await withFleet(20);
    for (let index = 0; index < 10; index += 1) addInstance(world, `lost-${index}`);
    await sweep(world.ports);
    const notes = await world.ports.sweepState.read();
    if (!notes) throw new Error('nothing noted');
    await world.ports.sweepState.write({ ...notes, confirmedUntil: NOON + 10 * MINUTE_MS });
    world.now += MINUTE_MS;
    await sweep(world.ports);

    expect(world.instances.size).toBe(20);
  });

  it('is terminated without confirmation if many are a small share of the fleet', async () => {
    const world = await withFleet(400);
    for (let index = 0; index < 100; index += 1) addInstance(world, `lost-${index}`);
    await sweepTwice(world);

    expect(world.instances.size).toBe(400);
  });

  it('is not judged when EC2 does not answer', async () => {
    const world = await withFleet(1);
    const cloud = {
      ...world.ports.cloud,
      instances: async () => {
        throw new Error('EC2 is not to be reached');
      },
    };

    const before = [...world.instances.keys()];
    await expect(sweep({ ...world.ports, cloud })).rejects.toThrow('EC2 is not to be reached');
    expect([...world.instances.keys()]).toEqual(before);
    expect(await world.ports.sweepState.read()).toBeUndefined();
  });
});

it('is terminated concurrently with other leaked instances', async () => {
  const world = aFakeWorld();
  await sweep(world.ports);
  for (const name of ['stray-1', 'stray-2', 'stray-3']) addInstance(world, name);
  await sweep(world.ports);
  world.now += MINUTE_MS;
  const requested: string[] = [];
  world.ports.cloud.terminate = async (providerId) => {
    requested.push(providerId);
    await expect.poll(() => requested).toHaveLength(3);
  };
  await sweep(world.ports);

  expect(requested).toHaveLength(3);
});

describe('an instance of a launch', () => {
  const PROVIDER_ID = providerIdOf('general-1');
  const aRecord = (over: Partial<LaunchRecord> = {}): LaunchRecord => ({
    id: 'p-1-0',
    attempt: 1,
    claims: ['general-1'],
    calledAt: NOON - MINUTE_MS,
    launches: {},
    ...over,
  });

  async function withLaunch(record: LaunchRecord): Promise<FakeWorld> {
    const world = aFakeWorld();
    await world.ports.launches.save(record, 0);
    const providerId = PROVIDER_ID;
    world.instances.set(providerId, { providerId, claim: '', state: 'running', launchId: 'p-1-0' });
    return world;
  }

  it('is left alone while the launch is open', async () => {
    const world = await withLaunch(aRecord());
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'general-1', launchId: 'p-1-0' }), 0);
    await sweepTwice(world);

    expect(world.instances.size).toBe(1);
    expect(hintedClaims(world)).toContain('general-1');
  });

  it.each([
    ['59 s', 59 * SECOND_MS, 1],
    ['60 s', 60 * SECOND_MS, 0],
  ])(
    'is terminated if two sweeps, from a minute after the answer on, found no claim: %s',
    async (_, agoMs, remaining) => {
      const world = await withLaunch(aRecord({ closedAt: NOON - agoMs }));
      await sweep(world.ports);
      expect(world.instances.size).toBe(1);
      world.now += MINUTE_MS;
      await sweep(world.ports);

      expect(world.instances.size).toBe(remaining);
    },
  );

  describe('that a long closed record gives to a claim', () => {
    const closed = aRecord({
      closedAt: NOON - 10 * MINUTE_MS,
      launches: { 'general-1': aLaunch({ providerId: PROVIDER_ID }) },
    });

    it.each([
      ['is left alone while the claim has not stored it', {}, 1],
      ['is left alone while the deleted claim has not ended it', { deletingAt: NOON }, 1],
      ['is terminated if the claim has another', { launch: aLaunch({ providerId: 'i-2' }) }, 0],
      ['is terminated if the claim is terminated', { terminatedAt: NOON }, 0],
    ])('%s', async (_, claim, remaining) => {
      const world = await withLaunch(closed);
      const stored = aNodeClaim({ name: 'general-1', launchId: 'p-1-0', ...claim });
      await world.ports.nodeClaims.save(stored, 0);
      await sweepTwice(world);

      expect(world.instances.size).toBe(remaining);
    });
  });

  it('is terminated a minute after its abandoned launch is closed', async () => {
    const world = await withLaunch(aRecord());
    await sweep(world.ports);
    expect((await world.ports.launches.list()).records).toMatchObject([{ record: { closedAt: NOON } }]);
    expect(world.instances.size).toBe(1);
    world.now += MINUTE_MS;
    await sweepTwice(world);

    expect(world.instances.size).toBe(0);
  });

  it('has its launch record closed if its claims have their instances from elsewhere', async () => {
    const world = await withLaunch(aRecord());
    const claim = aNodeClaim({ name: 'general-1', launch: aLaunch({ providerId: PROVIDER_ID }) });
    await world.ports.nodeClaims.save(claim, 0);
    await sweep(world.ports);

    const { records } = await world.ports.launches.list();
    expect(records).toMatchObject([{ record: { closedAt: NOON } }]);
    expect(world.instances.size).toBe(1);
  });

  it('has its launch record removed an hour after the answer', async () => {
    const world = await withLaunch(aRecord({ closedAt: NOON - 60 * MINUTE_MS - 1 }));
    await sweep(world.ports);

    expect((await world.ports.launches.list()).records).toEqual([]);
  });

  it('keeps its launch record for as long as its claim has not stored it', async () => {
    const launches = { 'general-1': aLaunch({ providerId: PROVIDER_ID }) };
    const world = await withLaunch(aRecord({ closedAt: NOON - 2 * 60 * MINUTE_MS, launches }));
    const claim = aNodeClaim({ name: 'general-1', launchId: 'p-1-0' });
    await world.ports.nodeClaims.save(claim, 0);
    await sweepTwice(world);
    expect((await world.ports.launches.list()).records).toHaveLength(1);
    expect(world.instances.size).toBe(1);

    const launch = aLaunch({ providerId: PROVIDER_ID });
    await world.ports.nodeClaims.save({ ...claim, launch }, 1);
    world.now += MINUTE_MS;
    await sweep(world.ports);
    expect((await world.ports.launches.list()).records).toEqual([]);
  });
});

describe('an instance that no claim needs, with a Node that pods may run on', () => {
  const PROVIDER_ID = providerIdOf('general-1');
  const facts: InstanceFacts = {
    ...{ instanceType: 'm7i.large', zone: 'us-east-1a', capacityType: 'on-demand' },
    ...{ pool: 'general', nodeClass: 'default' },
  };
  const closed: LaunchRecord = {
    ...{ id: 'p-1-0', attempt: 1, claims: ['general-1'], launches: {} },
    ...{ calledAt: NOON - 10 * MINUTE_MS, closedAt: NOON - 10 * MINUTE_MS },
  };

  /** The claim has another instance by its record. */
  async function aSurplus(node: Partial<Node>): Promise<FakeWorld> {
    const world = aFakeWorld({
      nodes: [aNode({ name: 'node-1', providerId: PROVIDER_ID, ...node })],
      pods: [aRunningPod('node-1')],
    });
    await world.ports.launches.save(closed, 0);
    const launch = aLaunch({ providerId: 'aws:///us-east-1a/i-2' });
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'general-1', launch }), 0);
    const instance = { claim: '', state: 'running', launchId: 'p-1-0', facts } as const;
    world.instances.set(PROVIDER_ID, { providerId: PROVIDER_ID, ...instance });
    return world;
  }

  it.each<[string, Partial<Node>]>([
    ['is ready', { labels: {}, finalizers: [] }],
    ['is registered', { ready: false }],
  ])('is drained, not terminated, if the Node %s', async (_, node) => {
    const world = await aSurplus(node);
    await sweepTwice(world);
    expect(world.instances.has(PROVIDER_ID)).toBe(true);
    const adopted = (await claimsOf(world)).find(({ launch }) => launch?.providerId === PROVIDER_ID);
    expect(adopted).toMatchObject({ deletingAt: NOON, removal: 'Requested', nodeName: 'node-1' });

    await reconcileNodeClaim(world.ports, adopted?.name ?? '');
    expect(world.podCalls).toContainEqual(expect.stringMatching(/^evict /));
    expect(world.instances.has(PROVIDER_ID)).toBe(true);
    // The Node waits for the end of the drain.
    expect(world.objects.nodes).toMatchObject([{ finalizers: ['karpenter.sh/termination'] }]);
    world.now += 10 * SECOND_MS;
    await reconcileNodeClaim(world.ports, adopted?.name ?? '');
    expect(world.instances.has(PROVIDER_ID)).toBe(false);
  });

  it('is left to the deleted claim that it is tagged with, if that claim has no instance', async () => {
    const world = await aSurplus({});
    const claim = aNodeClaim({ name: 'general-1', launchId: 'p-1-0', deletingAt: NOON });
    await storeClaim(world.ports, claim, 1);
    const instance = { claim: 'general-1', state: 'running', launchId: 'p-1-0', facts } as const;
    world.instances.set(PROVIDER_ID, { providerId: PROVIDER_ID, ...instance });
    await sweepTwice(world);
    expect(await claimsOf(world)).toMatchObject([{ name: 'general-1' }]);

    await reconcileNodeClaim(world.ports, 'general-1');
    expect(await claimsOf(world)).toMatchObject([{ launch: { providerId: PROVIDER_ID } }]);
  });

  it('is kept if a consistent read shows that a claim has it', async () => {
    const world = await aSurplus({});
    const { nodeClaims } = world.ports;
    const launch = aLaunch({ providerId: PROVIDER_ID });
    await nodeClaims.save(aNodeClaim({ name: 'general-1', launch }), 1);
    const list = async () => ({ records: [], unreadable: [] });
    await sweepTwice({ ...world, ports: { ...world.ports, nodeClaims: { ...nodeClaims, list } } });

    expect(world.instances.has(PROVIDER_ID)).toBe(true);
    expect(await claimsOf(world)).toMatchObject([{ name: 'general-1', launch }]);
  });

  it('is adopted as staying if no record mentions it', async () => {
    const world = await aSurplus({});
    await world.ports.launches.remove('p-1-0');
    await sweepTwice(world);

    const adopted = (await claimsOf(world)).find(({ launch }) => launch?.providerId === PROVIDER_ID);
    expect(adopted).not.toHaveProperty('deletingAt');
  });

  it('is reported, not terminated, if its NodePool is deleted', async () => {
    const world = await aSurplus({});
    world.objects = { ...world.objects, pools: [] };
    await sweepTwice(world);

    expect(world.instances.has(PROVIDER_ID)).toBe(true);
    expect(world.events).toContainEqual(expect.objectContaining({ kind: 'unexplained', count: 1 }));
  });
});
