import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { PARTITION_LABEL } from '../../../shared/model/labels.ts';
import { aLaunch, aNodeClaim, NOON } from '../../support/builders.ts';
import { aFakeWorld, claimOf, type FakeWorld, joinNode, providerIdOf } from '../support/fake-ports.ts';

const providerId = providerIdOf('general-1');

/** A claim that was launched into a partitioned placement group without a partition of its own. */
async function launched(partition = ''): Promise<FakeWorld> {
  const world = aFakeWorld();
  const labels = { [PARTITION_LABEL]: partition };
  const claim = aNodeClaim({ launch: aLaunch({ providerId, labels }), labels });
  await world.ports.nodeClaims.save(claim, 0);
  world.instances.set(providerId, { providerId, claim: 'general-1', state: 'running' });
  return world;
}

const reconcile = ({ ports }: FakeWorld) => reconcileNodeClaim(ports, 'general-1');
const labelOf = ({ objects }: FakeWorld): string | undefined => objects.nodes[0]?.labels[PARTITION_LABEL];

describe('a node in a partition that EC2 chooses', () => {
  it('registers only when its partition is known, and shows what it waits for', async () => {
    const world = await launched();
    joinNode(world, 'general-1');
    await reconcile(world);

    expect(await claimOf(world, 'general-1')).toMatchObject({
      waitsFor: {
        condition: 'Registered',
        status: 'Unknown',
        reason: 'PartitionUnknown',
        message: 'EC2 has not said which partition it is in',
        since: NOON,
      },
    });
    expect(await claimOf(world, 'general-1')).not.toHaveProperty('registeredAt');
    expect(labelOf(world)).toBeUndefined();
  });

  it('registers as soon as EC2 reports the partition, with the label on claim and Node', async () => {
    const world = await launched();
    joinNode(world, 'general-1');
    await reconcile(world);
    world.instances.set(providerId, {
      providerId,
      claim: 'general-1',
      state: 'running',
      partition: 2,
    });
    await reconcile(world);

    expect(await claimOf(world, 'general-1')).toMatchObject({
      registeredAt: NOON,
      labels: { [PARTITION_LABEL]: '2' },
      launch: { labels: { [PARTITION_LABEL]: '2' } },
    });
    expect(labelOf(world)).toBe('2');
  });

  it('waits for its Node before EC2 is asked', async () => {
    const world = await launched();
    const requested: string[] = [];
    const instance = async (id: string) => void requested.push(id);
    const cloud = { ...world.ports.cloud, instance };
    await reconcileNodeClaim({ ...world.ports, cloud }, 'general-1');

    expect(requested).toEqual([]);
    expect(await claimOf(world, 'general-1')).not.toHaveProperty('waitsFor');
  });

  it('shows that EC2 knows no such instance, and is left to its deadline', async () => {
    const world = await launched();
    joinNode(world, 'general-1');
    world.instances.clear();
    await reconcile(world);

    expect(await claimOf(world, 'general-1')).toMatchObject({
      waitsFor: { message: 'EC2 knows no such instance' },
    });
    expect(await claimOf(world, 'general-1')).not.toHaveProperty('deletingAt');
  });
});

describe('a node in a partition that its claim names', () => {
  it('registers at once', async () => {
    const world = await launched('3');
    joinNode(world, 'general-1');
    await reconcile(world);

    expect(await claimOf(world, 'general-1')).toMatchObject({ registeredAt: NOON });
    expect(labelOf(world)).toBe('3');
  });
});
