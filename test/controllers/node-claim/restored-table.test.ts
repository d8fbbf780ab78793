import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { InstanceFacts } from '../../../shared/ports/cloud.ts';
import { aNodeClaim, aRunningPod, NOON } from '../../support/builders.ts';
import { addRunning, aFakeWorld, claimOf, claimsOf, type FakeWorld, providerIdOf } from '../support/fake-ports.ts';

const NAME = 'general-1';
const facts: InstanceFacts = {
  ...{ instanceType: 'm7i.large', zone: 'us-east-1a', capacityType: 'on-demand' },
  ...{ pool: 'general', nodeClass: 'default' },
};

/** A node with a pod, whose record is set back to the moment before its launch. */
async function aRestoredTable(record: Partial<NodeClaim>): Promise<FakeWorld> {
  const world = aFakeWorld({ pods: [aRunningPod(NAME)] });
  await addRunning(world, NAME);
  const providerId = providerIdOf(NAME);
  world.instances.set(providerId, { providerId, claim: NAME, state: 'running', facts });
  const version = (await world.ports.nodeClaims.find(NAME))?.version ?? 0;
  await world.ports.nodeClaims.save(aNodeClaim({ name: NAME, ...record }), version);
  return world;
}

async function passMinutes(world: FakeWorld, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await sweep(world.ports);
    for (const { name } of await claimsOf(world)) await reconcileNodeClaim(world.ports, name);
    world.now += MINUTE_MS;
  }
}

describe('a NodeClaim whose record a backup does not have', () => {
  async function aLostRecord(node: Partial<Node>): Promise<FakeWorld> {
    const world = await aRestoredTable({ deletingAt: NOON, terminatedAt: NOON - MINUTE_MS });
    const { nodes } = world.objects;
    world.objects = { ...world.objects, nodes: nodes.map((one) => ({ ...one, ...node })) };
    return world;
  }

  it.each<[string, boolean]>([
    ['ready', true],
    ['not ready', false],
  ])('is drained when a user deletes it, although its Node has lost its labels: %s', async (_, ready) => {
    const world = await aLostRecord({ labels: {}, ready });
    const object = world.claimObjects.get(NAME);
    if (!object) throw new Error('the NodeClaim is gone');
    world.claimObjects.set(NAME, { ...object, deletionAt: NOON });
    await passMinutes(world, 3);

    expect(world.podCalls).toContainEqual(expect.stringMatching(/^evict /));
  });

  it('leaves no Node behind if it was deleted and its instance is gone', async () => {
    const world = await aLostRecord({ ready: false, createdAt: NOON - 30 * MINUTE_MS });
    const object = world.claimObjects.get(NAME);
    if (!object) throw new Error('the NodeClaim is gone');
    const createdAt = NOON - 30 * MINUTE_MS;
    world.claimObjects.set(NAME, { ...object, createdAt, deletionAt: NOON });
    world.instances.delete(providerIdOf(NAME));
    await reconcileNodeClaim(world.ports, NAME);
    await sweep(world.ports);

    expect(world.objects.nodes).toEqual([]);
    expect([...world.claimObjects.keys()]).toEqual([]);
  });
});

describe('a record that a backup set back to before its launch', () => {
  it.each([
    ['seconds', NOON - 10 * SECOND_MS],
    ['longer than a launch may take', NOON - 8 * MINUTE_MS],
  ])('takes the instance back that its NodeClaim names: set back by %s', async (_, createdAt) => {
    const world = await aRestoredTable({ createdAt });
    await passMinutes(world, 4);

    expect([...world.instances.keys()]).toEqual([providerIdOf(NAME)]);
    const claim = await claimOf(world, NAME);
    expect(claim?.launch).toMatchObject({ providerId: providerIdOf(NAME), zone: 'us-east-1a' });
    expect(claim).toHaveProperty('initializedAt');
    expect(claim).not.toHaveProperty('deletingAt');
    expect(world.podCalls).toEqual([]);
  });

  it('is drained if it was given up, and only the tag of the instance names the claim', async () => {
    const world = await aRestoredTable({
      ...{ createdAt: NOON - 8 * MINUTE_MS, deletingAt: NOON, removal: 'LaunchTimeout' },
    });
    world.claimObjects.clear();
    await reconcileNodeClaim(world.ports, NAME);

    expect(world.podCalls).toContainEqual(expect.stringMatching(/^evict /));
    expect(world.instances.has(providerIdOf(NAME))).toBe(true);
  });
});
