import { describe, expect, it } from 'vitest';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { NODECLASS_LABEL, REGISTERED_LABEL } from '../../../shared/model/labels.ts';
import { NOON, nodeLabels } from '../../support/builders.ts';
import { addRunning, aFakeWorld, type FakeWorld } from '../support/fake-ports.ts';

const REGISTERED = nodeLabels({ [REGISTERED_LABEL]: 'true' });
const labelsOf = ({ objects }: FakeWorld) => objects.nodes.map(({ labels }) => labels[NODECLASS_LABEL]);

describe('the label of the EC2NodeClass', () => {
  it('is added to a registered Node that lacks it', async () => {
    const world = aFakeWorld();
    await addRunning(world, 'general-1', {}, { labels: REGISTERED });
    await sweep(world.ports);

    expect(labelsOf(world)).toEqual(['default']);
    expect(world.objects.nodes[0]?.labels).toMatchObject(REGISTERED);
  });

  it.each([
    ['is being deleted', {}, { deletionAt: NOON }],
    ['has a claim that is being deleted', { deletingAt: NOON }, {}],
    ['has another value', {}, { labels: { ...REGISTERED, [NODECLASS_LABEL]: 'other' } }],
  ])('is not changed on a Node that %s', async (_, claim, node) => {
    const world = aFakeWorld();
    await addRunning(world, 'general-1', claim, { labels: REGISTERED, ...node });
    const before = labelsOf(world);
    await sweep(world.ports);

    expect(labelsOf(world)).toEqual(before);
  });

  it('is left to registration on a Node that has not registered', async () => {
    const world = aFakeWorld();
    await addRunning(world, 'general-1', {}, { labels: {} });
    await sweep(world.ports);

    expect(labelsOf(world)).toEqual([undefined]);
  });

  it('is added to a NodeClaim that lacks it', async () => {
    const world = aFakeWorld();
    const labels = { [NODECLASS_LABEL]: 'default' };
    await addRunning(world, 'general-1', { labels }, { labels: { ...REGISTERED, ...labels } });
    const object = world.claimObjects.get('general-1');
    if (!object) throw new Error('no NodeClaim');
    world.claimObjects.set('general-1', { ...object, labels: {} });
    world.objects = { ...world.objects, nodeClaims: [...world.claimObjects.values()] };
    world.projected.clear();
    await sweep(world.ports);

    expect(world.projected.get('general-1')?.labels).toMatchObject(labels);
  });
});
