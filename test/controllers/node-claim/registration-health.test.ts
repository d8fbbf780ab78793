import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aLaunch, aNodeClaim, aNodePool } from '../../support/builders.ts';
import { aFakeWorld, type FakeWorld, joinNode, providerIdOf } from '../support/fake-ports.ts';

const POOL = aNodePool();

async function register(world: FakeWorld, name: string): Promise<void> {
  const launch = aLaunch({ providerId: providerIdOf(name), at: world.now });
  const claim = aNodeClaim({ name, createdAt: world.now, launch, poolUid: POOL.uid });
  await world.ports.nodeClaims.save(claim, 0);
  joinNode(world, name);
  await reconcileNodeClaim(world.ports, name);
}

async function timeOut(world: FakeWorld, name: string, over: Partial<NodeClaim> = {}): Promise<void> {
  const createdAt = world.now - 15 * MINUTE_MS - SECOND_MS;
  const launch = aLaunch({ providerId: providerIdOf(name), at: createdAt });
  const claim = aNodeClaim({ name, createdAt, launch, poolUid: POOL.uid, ...over });
  await world.ports.nodeClaims.save(claim, 0);
  await reconcileNodeClaim(world.ports, name);
}

async function conditionOf(world: FakeWorld): Promise<string> {
  world.now += MINUTE_MS;
  await sweep(world.ports);
  const { conditions = [] } = world.poolStatuses.get('general') ?? {};
  const { status, reason } = conditions.find(({ type }) => type === 'NodeRegistrationHealthy') ?? {};
  return `${status} ${reason}`;
}

describe('the condition NodeRegistrationHealthy', () => {
  it('is False after two nodes that did not register, until three others have', async () => {
    const world = aFakeWorld();
    await timeOut(world, 'a');
    expect(await conditionOf(world)).toBe('Unknown AwaitingReconciliation');
    await timeOut(world, 'b');
    expect(await conditionOf(world)).toBe('False RegistrationFailed');
    await register(world, 'c');
    await register(world, 'd');
    expect(await conditionOf(world)).toBe('False RegistrationFailed');
    await register(world, 'e');
    expect(await conditionOf(world)).toBe('True NodeRegistrationHealthy');
  });

  it('has the reason of the launch if nothing could be launched', async () => {
    const world = aFakeWorld();
    const waitsFor = {
      condition: 'Launched',
      status: 'Unknown',
      reason: 'VCPULimitExceeded',
      message: 'the quota is used up',
      since: world.now,
    } as const;
    for (const name of ['a', 'b']) {
      const createdAt = world.now - 6 * MINUTE_MS;
      const claim = aNodeClaim({ name, createdAt, poolUid: POOL.uid, waitsFor });
      await world.ports.nodeClaims.save(claim, 0);
      await reconcileNodeClaim(world.ports, name);
    }

    expect(await conditionOf(world)).toBe('False VCPULimitExceeded');
  });

  it('ignores nodes of a deleted NodePool of the same name', async () => {
    const world = aFakeWorld();
    await timeOut(world, 'a', { poolUid: 'earlier' });
    await timeOut(world, 'b', { poolUid: 'earlier' });

    expect(await conditionOf(world)).toBe('Unknown AwaitingReconciliation');
  });

  it('is Unknown again after the NodePool was edited', async () => {
    const world = aFakeWorld();
    await timeOut(world, 'a');
    await timeOut(world, 'b');
    world.objects = { ...world.objects, pools: [aNodePool({ generation: 2 })] };

    expect(await conditionOf(world)).toBe('Unknown AwaitingReconciliation');
  });
});
