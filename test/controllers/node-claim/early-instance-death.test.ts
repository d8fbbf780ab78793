import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { WorldOptions } from '../../../shared/simulation/create-world.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { aWorld, NO_RANDOM_EVENTS, podsIn, runFor } from '../../simulation/support.ts';
import { aDeployment, aLaunch, aNodeClaim } from '../../support/builders.ts';
import { aFakeWorld, claimOf, providerIdOf } from '../support/fake-ports.ts';

const NAME = 'general-1';

function aWorldOfThreePods(options: WorldOptions = {}): SimWorld {
  const workloads = [aDeployment({ replicas: 3 })];
  const world = aWorld({ workloads }, { options: { ...NO_RANDOM_EVENTS, ...options } });
  world.consume((hint) => dispatch(world.ports, hint));
  return world;
}

async function terminateInstances({ ports }: SimWorld): Promise<void> {
  for (const { providerId } of await ports.cloud.instances()) {
    await ports.cloud.terminate(providerId);
  }
}

const listWaitingPods = async (world: SimWorld) =>
  (await podsIn(world)).filter(({ nodeName }) => nodeName === undefined);

describe('an instance that ends before its Node joins', () => {
  it('delays its pods by the start of another node only', async () => {
    const world = aWorldOfThreePods();
    await runFor(world, 10 * SECOND_MS);
    await terminateInstances(world);
    await runFor(world, 90 * SECOND_MS);

    expect(await listWaitingPods(world)).toEqual([]);
  });

  it('is found by the sweep if the event is lost', async () => {
    const world = aWorldOfThreePods({ hooks: false });
    // The first plan comes from the first sweep.
    await runFor(world, MINUTE_MS + 5 * SECOND_MS);
    expect(await world.ports.cloud.instances()).not.toEqual([]);
    await terminateInstances(world);
    await runFor(world, 4 * MINUTE_MS);

    expect(await listWaitingPods(world)).toEqual([]);
  });

  it('makes the NodePool back off from the second time on', async () => {
    const world = aFakeWorld();
    const delays: number[] = [];
    for (let round = 1; round <= 3; round += 1) {
      const name = `general-${round}`;
      const launch = aLaunch({ providerId: providerIdOf(name), at: world.now });
      await world.ports.nodeClaims.save(aNodeClaim({ name, createdAt: world.now, launch }), 0);
      await reconcileNodeClaim(world.ports, name, { inDoubt: true });
      const [backoff] = await world.ports.poolBackoffs.list('registration');
      delays.push((backoff?.until ?? Number.NaN) - world.now);
      world.now += 10 * MINUTE_MS;
    }

    expect(delays).toEqual([0, MINUTE_MS, 2 * MINUTE_MS]);
  });

  it('is not assumed from one answer of EC2 without the instance', async () => {
    const world = aFakeWorld();
    const launch = aLaunch({ providerId: providerIdOf(NAME), at: world.now });
    await world.ports.nodeClaims.save(aNodeClaim({ name: NAME, launch }), 0);

    await reconcileNodeClaim(world.ports, NAME);

    expect(await claimOf(world, NAME)).not.toHaveProperty('deletingAt');
  });

  it('is not assumed from an event alone while EC2 shows the instance as running', async () => {
    const world = aFakeWorld();
    const providerId = providerIdOf(NAME);
    const launch = aLaunch({ providerId, at: world.now });
    await world.ports.nodeClaims.save(aNodeClaim({ name: NAME, launch }), 0);
    world.instances.set(providerId, { providerId, claim: NAME, state: 'running' });

    await reconcileNodeClaim(world.ports, NAME, { inDoubt: true });

    expect(await claimOf(world, NAME)).not.toHaveProperty('deletingAt');
  });
});
