import { describe, expect, it } from 'vitest';
import { DISRUPTED_TAINT, type Taint } from '../../../shared/model/requirements/taints.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aNodeClaim, aNodePool, aPod, aPodSpec, aRunningPod, NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, type FakeWorld, takeHints } from '../support/fake-ports.ts';
import { allGoes, aSmallPod, deletedClaims, reconcile, replacedBy, tainted, withNodes } from './disruption-world.ts';

describe('the next disruption run', () => {
  it('is scheduled for the earliest verdict, rounded up to ten seconds', async () => {
    const world = await withNodes('a', [aSmallPod('a')]);
    await world.ports.nominations.nominate(['a'], world.now + 7 * SECOND_MS);
    await reconcile(world);

    expect(takeHints(world)).toEqual([{ hint: { topic: 'disrupt' }, at: world.now + 10 * SECOND_MS }]);
  });

  it('waits while a claim is being launched that could take the pods of the node', async () => {
    const world = await withNodes('ab', [aSmallPod('a'), aSmallPod('b')]);
    const createdAt = world.now - SECOND_MS;
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'new', createdAt }), 0);
    await reconcile(world);

    expect((await world.ports.commands.list()).records).toEqual([]);
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'disrupt' },
      at: world.now + 10 * SECOND_MS,
    });
  });

  it('removes an empty node although the launches of another pool do not finish', async () => {
    const world = aFakeWorld({ pools: [allGoes, gpuPool], pods: [gpuPod] });
    await addRunning(world, 'a');
    world.now = NOON + 10 * MINUTE_MS;
    await saveGpuClaim(world);
    await reconcile(world);
    const [proposal] = (await world.ports.commands.list()).records;
    world.now += 15 * SECOND_MS;
    await saveGpuClaim(world, 'gpu-2');
    await reconcile(world);

    expect(proposal).toMatchObject({ reason: 'Empty', candidates: ['a'] });
    expect(await deletedClaims(world)).toEqual(['a']);
  });

  it('validates a proposal again after a launch that could affect it', async () => {
    const world = await withNodes('a', []);
    await reconcile(world);
    expect((await world.ports.commands.list()).records).toHaveLength(1);

    world.now += 15 * SECOND_MS;
    const expects = { 'pod-default-web-1': 1 };
    world.objects = { ...world.objects, pods: [aPod({ name: 'web-1' })] };
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'new', createdAt: world.now, expects }), 0);
    await reconcile(world);
    expect((await world.ports.commands.list()).records).toHaveLength(1);
    expect(await deletedClaims(world)).toEqual([]);

    world.objects = { ...world.objects, pods: [aRunningPod('elsewhere', { name: 'web-1' })] };
    world.now += 15 * SECOND_MS;
    await reconcile(world);
    expect(await deletedClaims(world)).toEqual(['a']);
  });
});

const TAINT: Taint = { key: 'gpu', value: 'true', effect: 'NoSchedule' };
const gpuPool = aNodePool({ name: 'gpu', taints: [TAINT] });
const gpuPod = aPod({
  name: 'train',
  spec: aPodSpec({
    tolerations: [{ key: 'gpu', operator: 'Exists' }],
    nodeSelector: { 'karpenter.sh/nodepool': 'gpu' },
  }),
});
const saveGpuClaim = async (world: FakeWorld, name = 'gpu-1') =>
  world.ports.nodeClaims.save(
    aNodeClaim({
      name,
      pool: 'gpu',
      createdAt: world.now,
      taints: [TAINT],
      expects: { [gpuPod.uid]: 1 },
    }),
    0,
  );

describe('a taint without a command', () => {
  const withTaint = async (over: Parameters<typeof addRunning>[2] = {}) => {
    const world = aFakeWorld({ pools: [aNodePool()], pods: [aSmallPod('a')] });
    await addRunning(world, 'a', over, { taints: [DISRUPTED_TAINT] });
    return world;
  };

  it('is removed', async () => {
    const world = await withTaint();
    await reconcile(world);

    expect(tainted(world)).toEqual([]);
  });

  it('stays on a node that is being deleted', async () => {
    const world = await withTaint({ deletingAt: NOON });
    await reconcile(world);

    expect(tainted(world)).toEqual(['a']);
  });

  it('stays on a node of a running command', async () => {
    const world = await withTaint();
    await world.ports.commands.add(replacedBy('new'));
    await reconcile(world);

    expect(tainted(world)).toEqual(['a']);
  });

  it('stays on a node without a claim', async () => {
    const world = aFakeWorld();
    const claimed = await withTaint();
    world.objects = claimed.objects;
    await reconcile(world);

    expect(tainted(world)).toEqual(['a']);
  });
});
