import { describe, expect, it } from 'vitest';
import { DISRUPTED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { aNodeClaim, aNodePool, NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, takeHints } from '../support/fake-ports.ts';
import { aSmallPod, reconcile, replacedBy, tainted, withNodes } from './disruption-world.ts';

describe('the next disruption run', () => {
  it('is scheduled for the earliest verdict, rounded up to ten seconds', async () => {
    const world = await withNodes('a', [aSmallPod('a')]);
    await world.ports.nominations.nominate(['a'], world.now + 7 * SECOND_MS);
    await reconcile(world);

    expect(takeHints(world)).toEqual([
      { hint: { topic: 'disrupt' }, at: world.now + 10 * SECOND_MS },
    ]);
  });

  it('waits while a claim is being launched', async () => {
    const world = await withNodes('ab', [aSmallPod('a')]);
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'new' }), 0);
    await reconcile(world);

    expect(await world.ports.commands.list()).toEqual([]);
    expect(takeHints(world)).toEqual([
      { hint: { topic: 'disrupt' }, at: world.now + 10 * SECOND_MS },
    ]);
  });
});

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
