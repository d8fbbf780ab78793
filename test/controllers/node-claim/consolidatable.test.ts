import { describe, expect, it } from 'vitest';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aNodePool, NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, type FakeWorld, takeHints } from '../support/fake-ports.ts';

const NAME = 'general-1';
const LEFT_AT = NOON + 20 * MINUTE_MS;

/** An empty node whose last pod left at `LEFT_AT`; `consolidateAfter` is 10 minutes. */
async function withEmptiedNode(): Promise<FakeWorld> {
  const disruption = {
    consolidateAfterMs: 10 * MINUTE_MS,
    policy: 'WhenEmptyOrUnderutilized',
    budgets: [{ nodes: '100%' }],
  } as const;
  const world = aFakeWorld({
    pools: [aNodePool({ disruption })],
    lastPodEventAt: { [NAME]: LEFT_AT },
  });
  await addRunning(world, NAME);
  world.now = LEFT_AT + MINUTE_MS;
  return world;
}

/** Another process has not seen the pod. */
const forgetPodEvents = (world: FakeWorld): void => {
  world.objects = { ...world.objects, lastPodEventAt: {} };
};

describe('a node that a pod has left', () => {
  it('is not removed before consolidateAfter, although the process restarted', async () => {
    const world = await withEmptiedNode();
    await reconcileNodeClaim(world.ports, NAME);
    forgetPodEvents(world);

    await reconcileDisruption(world.ports);
    expect((await world.ports.commands.list()).records).toEqual([]);

    world.now = LEFT_AT + 10 * MINUTE_MS;
    await reconcileDisruption(world.ports);
    expect((await world.ports.commands.list()).records).toMatchObject([{ candidates: [NAME] }]);
  });

  it('loses its condition, and wakes up when it gets it again', async () => {
    const world = await withEmptiedNode();
    await reconcileNodeClaim(world.ports, NAME);

    expect(world.projected.get(NAME)).toMatchObject({ lastPodEventAt: LEFT_AT });
    expect(world.projected.get(NAME)).not.toHaveProperty('consolidatableSince');
    const again = { hint: { topic: 'claim', claim: NAME }, at: LEFT_AT + 10 * MINUTE_MS };
    expect(takeHints(world)).toEqual([again]);

    world.now = again.at;
    await reconcileNodeClaim(world.ports, NAME);
    expect(world.projected.get(NAME)).toMatchObject({ consolidatableSince: again.at });
  });

  it('is recorded and reconciled by the sweep if nothing else announced it', async () => {
    const world = await withEmptiedNode();
    await sweep(world.ports);
    const stored = await world.ports.nodeClaims.find(NAME);
    expect(stored?.claim).toMatchObject({ lastPodEventAt: LEFT_AT });
    expect(takeHints(world).map(({ hint }) => hint)).toContainEqual({
      topic: 'claim',
      claim: NAME,
    });

    forgetPodEvents(world);
    await reconcileNodeClaim(world.ports, NAME);
    const wakeUp = { hint: { topic: 'claim', claim: NAME }, at: LEFT_AT + 10 * MINUTE_MS };
    expect(takeHints(world)).toEqual([wakeUp]);
    await sweep(world.ports);
    expect(takeHints(world).map(({ hint }) => hint)).toEqual([{ topic: 'disrupt' }]);
  });
});
