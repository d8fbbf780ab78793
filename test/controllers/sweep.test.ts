import { describe, expect, it } from 'vitest';
import { showLife } from '../../shared/controllers/planner-life.ts';
import { sweep } from '../../shared/controllers/sweep.ts';
import { INITIALIZED_LABEL, REGISTERED_LABEL } from '../../shared/model/labels.ts';
import type { NodeClaimObject } from '../../shared/model/node-claim-object.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { InstanceFacts } from '../../shared/ports/cloud.ts';
import type { LaunchRecord } from '../../shared/ports/launches.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { nodeClaimObjectOf } from '../../shared/simulation/node-claim-objects.ts';
import { simZonalShifts } from '../../shared/simulation/zonal-shifts.ts';
import { aNode, aNodeClaim, aPod, NOON } from '../support/builders.ts';
import {
  addRunning,
  aFakeWorld,
  claimsOf,
  type FakeWorld,
  providerIdOf,
  takeHints,
} from './fake-ports.ts';

const hintedClaims = (world: FakeWorld): readonly string[] =>
  takeHints(world).flatMap(({ hint }) => (hint.topic === 'claim' ? [hint.claim] : []));

const sweepTwice = async (world: FakeWorld): Promise<void> => {
  await sweep(world.ports);
  world.now += MINUTE_MS;
  await sweep(world.ports);
};

const addInstance = (world: FakeWorld, claim: string): void => {
  const providerId = providerIdOf(claim);
  world.instances.set(providerId, { providerId, claim, state: 'running' });
};

const failing = async (): Promise<never> => {
  throw new Error('throttled');
};

describe('a sweep of which a part fails', () => {
  const pod = aPod();
  const planned = { hint: { topic: 'plan' }, at: NOON };

  it.each<[string, (ports: Ports) => Partial<Ports>]>([
    ['EC2 lists no instances', ({ cloud }) => ({ cloud: { ...cloud, instances: failing } })],
    [
      'its notes cannot be read',
      ({ sweepBook }) => ({ sweepBook: { ...sweepBook, read: failing } }),
    ],
    ['a commit is not settled', ({ commits }) => ({ commits: { ...commits, latest: failing } })],
    [
      'no NodePool can be written on',
      ({ cluster }) => ({ cluster: { ...cluster, reportNodePool: failing } }),
    ],
    [
      'nobody tells of zonal shifts',
      () => ({ shiftSource: { ask: failing }, zonalShifts: simZonalShifts() }),
    ],
  ])('sends its hints, and says what failed: %s', async (_, broken) => {
    const world = aFakeWorld({ pods: [pod] });
    await addRunning(world, 'general-1', { deletingAt: NOON });
    await showLife(world.ports);

    await expect(sweep({ ...world.ports, ...broken(world.ports) })).rejects.toThrow('throttled');
    const hints = takeHints(world);
    expect(hints).toContainEqual({ hint: { topic: 'claim', claim: 'general-1' }, at: NOON });
    expect(hints).toContainEqual(planned);
  });

  it('takes no instance for gone that it could not ask for', async () => {
    const world = aFakeWorld();
    await addRunning(world, 'general-1');
    world.ports.cloud.instances = failing;

    await expect(sweep(world.ports)).rejects.toThrow();
    expect(hintedClaims(world)).toEqual([]);
    expect(world.objects.nodes).toHaveLength(1);
  });

  it('ends the leaked instances that EC2 lets it end', async () => {
    const world = aFakeWorld();
    await sweep(world.ports);
    for (const name of ['stray-1', 'stray-2', 'stray-3']) addInstance(world, name);
    const { terminate } = world.ports.cloud;
    world.ports.cloud.terminate = async (providerId) => {
      if (providerId === providerIdOf('stray-1')) throw new Error('protected');
      await terminate(providerId);
    };
    await sweep(world.ports);
    world.now += MINUTE_MS;

    await expect(sweep(world.ports)).rejects.toThrow('protected');
    expect([...world.instances.keys()]).toEqual([providerIdOf('stray-1')]);
  });
});

it('23.9-116: a sweep asks EC2 to end leaked instances side by side', async () => {
  const world = aFakeWorld();
  await sweep(world.ports);
  for (const name of ['stray-1', 'stray-2', 'stray-3']) addInstance(world, name);
  await sweep(world.ports);
  world.now += MINUTE_MS;
  const asked: string[] = [];
  world.ports.cloud.terminate = async (providerId) => {
    asked.push(providerId);
    await expect.poll(() => asked).toHaveLength(3);
  };
  await sweep(world.ports);

  expect(asked).toHaveLength(3);
});

describe('the sweep looks at claims', () => {
  it('that run well: not at all', async () => {
    const world = aFakeWorld();
    await addRunning(world, 'general-1', { expireAfterMs: MINUTE_MS });
    await sweep(world.ports);

    expect(takeHints(world)).toEqual([{ hint: { topic: 'disrupt' }, at: NOON }]);
  });

  it.each<[string, (world: FakeWorld) => Promise<unknown>]>([
    [
      'that are not launched',
      (world) => world.ports.nodeClaims.save(aNodeClaim({ name: 'odd' }), 0),
    ],
    ['23.14-167: that are going', (world) => addRunning(world, 'odd', { deletingAt: NOON })],
    ['that are expired', (world) => addRunning(world, 'odd', { expireAfterMs: 0 })],
    ['whose Node is not ready', (world) => addRunning(world, 'odd', {}, { ready: false })],
    ['whose Node is being deleted', (world) => addRunning(world, 'odd', {}, { deletionAt: NOON })],
    [
      'whose instance is gone',
      async (world) => {
        await addRunning(world, 'odd');
        world.instances.delete(providerIdOf('odd'));
      },
    ],
  ])('%s', async (_, arrange) => {
    const world = aFakeWorld();
    await addRunning(world, 'general-1');
    await arrange(world);
    await sweep(world.ports);

    expect(hintedClaims(world)).toEqual(['odd']);
  });

  it('23.14-165: has pending pods planned, and disruption look', async () => {
    const world = aFakeWorld({ pods: [aPod()] });
    await showLife(world.ports);
    await sweep(world.ports);

    expect(takeHints(world)).toEqual([
      { hint: { topic: 'plan' }, at: NOON },
      { hint: { topic: 'disrupt' }, at: NOON },
    ]);
    expect(await claimsOf(world)).toEqual([]);
  });

  it.each([
    ['not after 32 s', 32 * SECOND_MS, 0],
    ['a moment later', 32 * SECOND_MS + 1, 1],
  ])(
    'SV-15: plans itself when nothing is heard of the planner: %s',
    async (_, silentMs, claims) => {
      const world = aFakeWorld({ pods: [aPod()] });
      await showLife(world.ports);
      world.now += silentMs;
      await sweep(world.ports);

      // Those who may launch do so.
      expect(hintedClaims(world)).toHaveLength(claims);
      expect(await claimsOf(world)).toHaveLength(claims);
      expect(world.instances.size).toBe(0);
    },
  );
});

describe('an instance without a claim', () => {
  async function withFleet(size: number): Promise<FakeWorld> {
    const world = aFakeWorld();
    for (let index = 0; index < size; index += 1) await addRunning(world, `general-${index}`);
    return world;
  }

  it('23.9-115: that has one is left alone', async () => {
    const world = await withFleet(3);
    await sweep(world.ports);

    expect(world.instances.size).toBe(3);
  });

  it('is ended when its claim has', async () => {
    const world = await withFleet(1);
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'old', terminatedAt: NOON }), 0);
    addInstance(world, 'old');
    await sweep(world.ports);

    expect([...world.instances.keys()]).toEqual([providerIdOf('general-0')]);
  });

  it('N14: 23.9-112, 23.9-113: is ended with its Node when two looks, a minute apart, found none', async () => {
    const world = await withFleet(1);
    addInstance(world, 'leaked');
    const providerId = providerIdOf('leaked');
    const { objects } = world;
    world.objects = {
      ...objects,
      nodes: [...objects.nodes, aNode({ name: 'leaked', providerId, finalizers: [] })],
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

  it('begins anew when it was accounted for in between', async () => {
    const world = await withFleet(1);
    addInstance(world, 'late');
    await sweep(world.ports);
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'late' }), 0);
    world.now += MINUTE_MS;
    await sweep(world.ports);

    expect(await world.ports.sweepBook.read()).toEqual({ tableSince: NOON, unexplained: {} });
  });

  it('22.5: is not ended while a NodeClaim cannot be read', async () => {
    const world = await withFleet(1);
    addInstance(world, 'leaked');
    const unreadable = [{ kind: 'NodeClaim', name: 'odd', why: 'spec', forbids: [] }];
    world.objects = { ...world.objects, unreadable };
    await sweepTwice(world);

    expect(world.instances.has(providerIdOf('leaked'))).toBe(true);
  });

  it('is ended when its claim became another instance', async () => {
    const world = await withFleet(1);
    const providerId = providerIdOf('launched-twice');
    world.instances.set(providerId, { providerId, claim: 'general-0', state: 'running' });
    await sweep(world.ports);

    expect([...world.instances.keys()]).toEqual([providerIdOf('general-0')]);
  });

  it('23.14-163: whose claim was only stored so far is left alone', async () => {
    const world = await withFleet(1);
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'fresh' }), 0);
    addInstance(world, 'fresh');
    await sweep(world.ports);

    expect(world.instances.has(providerIdOf('fresh'))).toBe(true);
  });

  it('23.9-116: is left alone when there are too many of them to believe it', async () => {
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

  it('23.9-116: is ended with many others once a person has confirmed it', async () => {
    const world = await withFleet(20);
    for (let index = 0; index < 10; index += 1) addInstance(world, `lost-${index}`);
    await sweep(world.ports);
    const notes = await world.ports.sweepBook.read();
    if (!notes) throw new Error('nothing noted');
    await world.ports.sweepBook.write({ ...notes, confirmedUntil: NOON + 10 * MINUTE_MS });
    world.now += MINUTE_MS;
    await sweep(world.ports);

    expect(world.instances.size).toBe(20);
  });

  it('N14: 23.9-116: is ended unasked where many are few of the fleet', async () => {
    const world = await withFleet(400);
    for (let index = 0; index < 100; index += 1) addInstance(world, `lost-${index}`);
    await sweepTwice(world);

    expect(world.instances.size).toBe(400);
  });

  it('23.9-117: is not looked for when EC2 does not answer', async () => {
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
    expect(await world.ports.sweepBook.read()).toBeUndefined();
  });
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

  it('22.3: that is not over is left alone', async () => {
    const world = await withLaunch(aRecord());
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'general-1', launchId: 'p-1-0' }), 0);
    await sweepTwice(world);

    expect(world.instances.size).toBe(1);
    expect(hintedClaims(world)).toContain('general-1');
  });

  it.each([
    ['59 s', 59 * SECOND_MS, 1],
    ['60 s', 60 * SECOND_MS, 0],
  ])('that nobody got is ended a minute after its answer: %s', async (_, agoMs, left) => {
    const world = await withLaunch(aRecord({ closedAt: NOON - agoMs }));
    await sweep(world.ports);

    expect(world.instances.size).toBe(left);
  });

  it('that nobody waits for any more is over, and a minute later so is the instance', async () => {
    const world = await withLaunch(aRecord());
    await sweep(world.ports);
    expect(await world.ports.launches.list()).toMatchObject([{ record: { closedAt: NOON } }]);
    expect(world.instances.size).toBe(1);
    world.now += MINUTE_MS;
    await sweep(world.ports);

    expect(world.instances.size).toBe(0);
  });

  it('is forgotten an hour after its answer', async () => {
    const world = await withLaunch(aRecord({ closedAt: NOON - 60 * MINUTE_MS - 1 }));
    await sweep(world.ports);

    expect(await world.ports.launches.list()).toEqual([]);
  });
});

describe('an empty table', () => {
  const facts: InstanceFacts = {
    instanceType: 'm7i.large',
    zone: 'us-east-1a',
    capacityType: 'on-demand',
    pool: 'general',
    nodeClass: 'default',
  };

  /** A node that a table which is lost knew, three days old. */
  function aSurvivor(name: string): FakeWorld {
    const providerId = providerIdOf(name);
    const labels = { [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' };
    const world = aFakeWorld({ nodes: [aNode({ name: `node-${name}`, providerId, labels })] });
    const launchedAt = NOON - 3 * DAY_MS;
    const state = 'running';
    world.instances.set(providerId, { providerId, claim: name, state, launchedAt, facts });
    return world;
  }

  it('22.12-188: takes up what ran before it, as it is, and ends nothing', async () => {
    const world = aSurvivor('general-1');
    await sweepTwice(world);

    expect(world.instances.size).toBe(1);
    expect(await claimsOf(world)).toMatchObject([
      {
        name: 'general-1',
        pool: 'general',
        poolHash: 'hash-general',
        createdAt: NOON - 3 * DAY_MS,
        nodeName: 'node-general-1',
        registeredAt: NOON,
        initializedAt: NOON,
        launch: { providerId: providerIdOf('general-1'), hourlyUsd: 0.1008 },
      },
    ]);
    expect(world.events).toContainEqual({ kind: 'adopted', at: NOON, claim: 'general-1' });
  });

  it('moves nothing of it for ten minutes', async () => {
    const world = aSurvivor('general-1');
    await sweep(world.ports);

    const until = NOON + 10 * MINUTE_MS;
    expect(await world.ports.nominations.list(NOON)).toEqual({
      'general-1': until,
      'node-general-1': until,
    });
  });

  it('23.9-116: takes up many as well as one', async () => {
    const world = aSurvivor('general-1');
    for (let index = 2; index <= 30; index += 1) {
      const [one] = aSurvivor(`general-${index}`).instances.values();
      if (one) world.instances.set(one.providerId, one);
    }
    await sweepTwice(world);

    expect(world.instances.size).toBe(30);
    expect(await claimsOf(world)).toHaveLength(30);
  });

  it('takes up an instance that is younger than it, if the cluster has its NodeClaim', async () => {
    const world = aSurvivor('general-1');
    const [instance] = world.instances.values();
    if (!instance) throw new Error('no instance');
    world.instances.set(instance.providerId, { ...instance, launchedAt: NOON });
    const object: NodeClaimObject = {
      ...nodeClaimObjectOf(aNodeClaim({ name: 'general-1', uid: 'uid-of-old' })),
      createdAt: NOON - DAY_MS,
      providerId: instance.providerId,
    };
    world.claimObjects.set('general-1', object);
    await sweepTwice(world);

    expect(world.instances.size).toBe(1);
    expect(await claimsOf(world)).toMatchObject([
      { name: 'general-1', uid: 'uid-of-old', createdAt: NOON - DAY_MS },
    ]);
  });

  it('gives what has not joined yet as long for it as a new node', async () => {
    const world = aSurvivor('general-1');
    world.objects = { ...world.objects, nodes: [] };
    await sweep(world.ports);

    const [claim] = await claimsOf(world);
    expect(claim).toMatchObject({ createdAt: NOON });
    expect(claim).not.toHaveProperty('registeredAt');
  });
});

describe('two sweeps at once', () => {
  it('are one: the second finds the lease taken', async () => {
    const world = aFakeWorld({ pods: [aPod()] });
    await world.ports.leases.acquire('sweep', { holder: 'other', now: NOON, forMs: MINUTE_MS });
    await sweep(world.ports);

    expect(world.sent).toEqual([]);
  });
});

describe('a Node that is being deleted', () => {
  const orphan = aNode({ name: 'orphan', providerId: 'aws:///z/i-gone', deletionAt: NOON });

  it('is let go when neither claim nor instance is left', async () => {
    const world = aFakeWorld({ nodes: [orphan] });
    await sweep(world.ports);

    expect(world.objects.nodes).toEqual([]);
  });

  it('is held while its instance runs', async () => {
    const world = aFakeWorld({ nodes: [{ ...orphan, providerId: providerIdOf('lost') }] });
    addInstance(world, 'lost');
    await sweep(world.ports);

    expect(world.objects.nodes).toHaveLength(1);
  });

  it('that was not asked to go stays', async () => {
    const { deletionAt: _, ...node } = orphan;
    const world = aFakeWorld({ nodes: [node] });
    await sweep(world.ports);

    expect(world.objects.nodes).toEqual([node]);
  });
});
