import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { aNodeClaim, aRunningPod, NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, type FakeWorld } from '../support/fake-ports.ts';

export const NAME = 'general-1';

export const reconcile = (world: FakeWorld): Promise<void> => reconcileNodeClaim(world.ports, NAME);

/** A claim that is recorded and not launched yet. */
export async function withStoredClaim(): Promise<FakeWorld> {
  const world = aFakeWorld();
  await world.ports.nodeClaims.save(aNodeClaim({ podsWaitedSince: NOON }), 0);
  return world;
}

/** A claim with two pods on its Node, deleted at noon. */
export async function withDeletedClaim(): Promise<FakeWorld> {
  const world = aFakeWorld({
    pods: [aRunningPod(NAME, { name: 'a' }), aRunningPod(NAME, { name: 'b' })],
  });
  await addRunning(world, NAME, { deletingAt: NOON, removal: 'Expired' });
  return world;
}

/** Reconciles the claim every five seconds. */
export async function runOn(world: FakeWorld, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    world.now += 5 * SECOND_MS;
    await reconcile(world);
  }
}
