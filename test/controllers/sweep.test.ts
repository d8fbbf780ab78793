import { describe, expect, it } from 'vitest';
import { sweep } from '../../shared/controllers/sweep.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { aNode, aNodeClaim, aPod, NOON } from '../support/builders.ts';
import { addRunning, aFakeWorld, type FakeWorld, providerIdOf, takeHints } from './fake-ports.ts';

const hintedClaims = (world: FakeWorld): readonly string[] =>
  takeHints(world).flatMap(({ hint }) => (hint.topic === 'claim' ? [hint.claim] : []));

const addInstance = (world: FakeWorld, claim: string): void => {
  const providerId = providerIdOf(claim);
  world.instances.set(providerId, { providerId, claim, state: 'running' });
};

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
    await sweep(world.ports);

    expect(takeHints(world)).toEqual([
      { hint: { topic: 'plan' }, at: NOON },
      { hint: { topic: 'disrupt' }, at: NOON },
    ]);
  });
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

  it('23.9-112: is ended when it never had one', async () => {
    const world = await withFleet(1);
    addInstance(world, 'leaked');
    await sweep(world.ports);

    expect([...world.instances.keys()]).toEqual([providerIdOf('general-0')]);
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
    await sweep(world.ports);

    expect(world.instances.size).toBe(30);
  });

  it('22.12-188: is left alone when the table is empty', async () => {
    const world = aFakeWorld();
    addInstance(world, 'lost');
    await sweep(world.ports);

    expect(world.instances.size).toBe(1);
  });

  it('23.9-117: is not looked for when EC2 does not answer', async () => {
    const world = await withFleet(1);
    const cloud = {
      ...world.ports.cloud,
      instances: async () => {
        throw new Error('EC2 is not to be reached');
      },
    };

    await expect(sweep({ ...world.ports, cloud })).rejects.toThrow('EC2 is not to be reached');
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
