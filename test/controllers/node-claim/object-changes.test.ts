import { beforeEach, describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import type { NodeClaimObject } from '../../../shared/model/nodes/node-claim-object.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { toNodeClaimObject } from '../../../shared/simulation/control-plane/cluster.ts';
import { aNode, aNodeClaim, aRunningPod, NOON, resources } from '../../support/builders.ts';
import {
  addRunning,
  aFakeWorld,
  claimOf,
  type FakeWorld,
  joinNode,
  providerIdOf,
  takeHints,
} from '../support/fake-ports.ts';

const NAME = 'general-1';

/** Changes the object as kubectl does. */
function write(world: FakeWorld, over: Partial<NodeClaimObject>): void {
  const object = world.claimObjects.get(NAME);
  if (!object) throw new Error('there is no NodeClaim');
  world.claimObjects.set(NAME, { ...object, ...over });
}

/** Works off the claim's hints until none is due within a minute. */
async function workOffHints(world: FakeWorld): Promise<void> {
  await reconcileNodeClaim(world.ports, NAME);
  for (let round = 0; round < 20; round += 1) {
    const due = takeHints(world).filter(({ hint }) => hint.topic === 'claim');
    const [next] = due.toSorted((a, b) => a.at - b.at);
    if (!next || next.at > NOON + MINUTE_MS) return;
    world.now = Math.max(world.now, next.at);
    await reconcileNodeClaim(world.ports, NAME);
  }
}

describe('kubectl delete nodeclaim', () => {
  let world: FakeWorld;
  beforeEach(async () => {
    world = aFakeWorld({ pods: [aRunningPod(NAME, { name: 'web-1' })] });
    await addRunning(world, NAME);
    write(world, { deletionAt: NOON });
  });

  it('drains the node, terminates the instance and releases the object', async () => {
    await workOffHints(world);

    expect(world.podCalls).toEqual(['evict default/web-1']);
    expect(world.instances.size).toBe(0);
    expect(world.objects.nodes).toEqual([]);
    expect(world.claimObjects.size).toBe(0);
    expect(await claimOf(world, NAME)).toMatchObject({ removal: 'Requested' });
  });

  it('is found by the sweep if its event was lost', async () => {
    await dispatch(world.ports, { topic: 'sweep' });

    expect(takeHints(world)).toContainEqual({ hint: { topic: 'claim', claim: NAME }, at: NOON });
  });

  it('has the pods planned before the first of them is evicted', async () => {
    await reconcileNodeClaim(world.ports, NAME);

    expect(world.podCalls).toEqual([]);
    expect(takeHints(world)).toEqual([
      { hint: { topic: 'plan' }, at: NOON },
      { hint: { topic: 'claim', claim: NAME }, at: NOON + SECOND_MS },
    ]);
  });
});

it('happens for kubectl delete node as well, after the drain', async () => {
  const world = aFakeWorld({ pods: [aRunningPod(NAME, { name: 'web-1' })] });
  await addRunning(world, NAME, {}, { deletionAt: NOON });

  await workOffHints(world);

  expect(world.podCalls).toEqual(['evict default/web-1']);
  expect(world.instances.size).toBe(0);
  expect(world.objects.nodes).toEqual([]);
  expect(world.claimObjects.size).toBe(0);
});

describe('a NodeClaim object that vanished', () => {
  it('is written again while its node runs', async () => {
    const world = aFakeWorld();
    await addRunning(world, NAME);
    world.claimObjects.clear();

    await dispatch(world.ports, { topic: 'sweep' });
    await workOffHints(world);

    expect(world.claimObjects.has(NAME)).toBe(true);
    expect((await claimOf(world, NAME))?.deletingAt).toBeUndefined();
    expect(world.instances.size).toBe(1);
  });

  it('is left as it is if it only cannot be read', async () => {
    const world = aFakeWorld();
    await addRunning(world, NAME);
    world.claimObjects.clear();
    world.objects = {
      ...world.objects,
      unreadable: [{ kind: 'NodeClaim', name: NAME, why: 'odd', forbids: [] }],
    };

    await workOffHints(world);

    expect(world.claimObjects.has(NAME)).toBe(false);
    expect((await claimOf(world, NAME))?.deletingAt).toBeUndefined();
  });
});

it('copies do-not-disrupt from a NodeClaim object to its record in the sweep', async () => {
  const world = aFakeWorld();
  await addRunning(world, NAME);
  write(world, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });

  await dispatch(world.ports, { topic: 'sweep' });
  expect(takeHints(world)).toContainEqual({ hint: { topic: 'claim', claim: NAME }, at: NOON });
  await reconcileNodeClaim(world.ports, NAME);

  expect((await claimOf(world, NAME))?.keptByHand).toBe(true);
});

describe('a NodeClaim of Karpenter, whose instance is not in our list', () => {
  const theirs = (over: Partial<NodeClaimObject> = {}): FakeWorld => {
    const world = aFakeWorld({
      pods: [aRunningPod(NAME, { name: 'web-1' })],
      nodes: [aNode({ name: NAME, providerId: providerIdOf(NAME) })],
    });
    world.claimObjects.set(NAME, {
      ...toNodeClaimObject(aNodeClaim({ name: NAME })),
      providerId: providerIdOf(NAME),
      annotations: {
        'karpenter.sh/nodepool-hash': '9876543210',
        'karpenter.sh/nodepool-hash-version': 'v3',
      },
      ...over,
    });
    return world;
  };
  const withTheirs = (over: Partial<NodeClaimObject> = {}): FakeWorld => {
    const world = theirs(over);
    const providerId = providerIdOf(NAME);
    const facts = {
      instanceType: 'm7i.large',
      zone: 'us-east-1a',
      capacityType: 'on-demand',
      pool: 'general',
      nodeClass: 'default',
    } as const;
    world.instances.set(providerId, { providerId, claim: NAME, state: 'running', facts });
    return Object.assign(world, {
      ports: {
        ...world.ports,
        cloud: { ...world.ports.cloud, instances: async () => [] },
      },
    });
  };

  it('gets a record that has not drifted', async () => {
    const world = withTheirs();

    await dispatch(world.ports, { topic: 'sweep' });
    await workOffHints(world);

    const [pool] = world.objects.pools;
    expect(await claimOf(world, NAME)).toMatchObject({
      poolHash: pool?.hash,
      initializedAt: NOON,
      launch: { providerId: providerIdOf(NAME) },
    });
    expect(world.objects.nodes).toHaveLength(1);
  });

  it('is drained and terminated like any other if a user deleted it', async () => {
    const world = withTheirs({ deletionAt: NOON });

    await workOffHints(world);

    expect(world.podCalls).toEqual(['evict default/web-1']);
    expect(world.instances.size).toBe(0);
    expect(world.claimObjects.size).toBe(0);
  });

  it('is released if its instance is gone', async () => {
    const world = theirs({ deletionAt: NOON, createdAt: NOON - HOUR_MS });
    const nodes = world.objects.nodes.map((node) => ({ ...node, ready: false }));
    world.objects = { ...world.objects, nodes };

    await reconcileNodeClaim(world.ports, NAME);

    expect(world.claimObjects.size).toBe(0);
  });

  it('is not released in its first minutes, in which EC2 may not show its instance yet', async () => {
    const world = theirs({ deletionAt: NOON, createdAt: NOON - MINUTE_MS });

    await reconcileNodeClaim(world.ports, NAME);

    expect(world.claimObjects.size).toBe(1);
  });
});

describe('a standalone NodeClaim', () => {
  const made = (over: Partial<NodeClaimObject> = {}): NodeClaimObject => ({
    ...toNodeClaimObject(aNodeClaim({ name: NAME })),
    uid: 'uid-by-hand',
    labels: { team: 'a' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', note: 'mine' },
    finalizers: [],
    requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
    requests: resources(1, 1),
    ...over,
  });
  const withMade = (over: Partial<NodeClaimObject> = {}): FakeWorld => {
    const world = aFakeWorld({ pools: [] });
    world.claimObjects.set(NAME, made(over));
    return world;
  };

  it('gets a record, an instance and finally a Node', async () => {
    const world = withMade();

    await reconcileNodeClaim(world.ports, NAME);
    joinNode(world, NAME);
    await reconcileNodeClaim(world.ports, NAME);

    expect(await claimOf(world, NAME)).toMatchObject({
      uid: 'uid-by-hand',
      pool: '',
      labels: { team: 'a', 'karpenter.k8s.aws/ec2nodeclass': 'default' },
      annotations: {},
      instanceTypes: ['m7i.large'],
      initializedAt: NOON,
    });
    expect(world.objects.nodes[0]?.labels).toMatchObject({ team: 'a' });
    expect(world.objects.nodes[0]?.annotations).toEqual({ note: 'mine' });
  });

  it('waits while the launch caps of the cluster are reached', async () => {
    const world = withMade();
    const ports = { ...world.ports, launchCaps: { launchesPerMinute: 10, hourlyUsd: 0.05 } };

    await reconcileNodeClaim(ports, NAME);

    expect(world.instances.size).toBe(0);
    expect(world.events).toMatchObject([
      { kind: 'capped', nodes: 1, cap: { name: 'maxHourlyUsd', limit: 0.05 }, claims: [NAME] },
    ]);
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'claim', claim: NAME },
      at: NOON + 30 * SECOND_MS,
    });
  });

  it('has our finalizer before EC2 is called', async () => {
    const world = withMade();
    const held: unknown[] = [];
    world.launch = (claim) => {
      held.push(world.projected.has(claim.name));
      return { outcome: 'unavailable', unavailable: [] };
    };

    await reconcileNodeClaim(world.ports, NAME);

    expect(held).toEqual([true]);
  });

  it('is found by the sweep if its event was lost', async () => {
    const world = withMade();

    await dispatch(world.ports, { topic: 'sweep' });

    expect(takeHints(world)).toContainEqual({ hint: { topic: 'claim', claim: NAME }, at: NOON });
  });

  it('is removed with a reason if no offering satisfies it', async () => {
    const world = withMade({ requests: resources(64, 64) });

    await reconcileNodeClaim(world.ports, NAME);

    expect(world.claimObjects.size).toBe(0);
    expect(world.events).toMatchObject([{ kind: 'unavailable', claim: NAME }]);
  });

  it('is released if it was deleted before it was reconciled', async () => {
    const world = withMade({ deletionAt: NOON });

    await reconcileNodeClaim(world.ports, NAME);

    expect(world.claimObjects.size).toBe(0);
    expect(await claimOf(world, NAME)).toBeUndefined();
  });

  it.each<[string, Partial<NodeClaimObject>]>([
    ['its own instance', { providerId: providerIdOf(NAME) }],
    ['an instance that is tagged with its name', {}],
  ])('is no new claim if it has an instance: %s', async (_, over) => {
    const world = withMade({ deletionAt: NOON, ...over });
    const providerId = providerIdOf(NAME);
    world.instances.set(providerId, { providerId, claim: NAME, state: 'running' });

    await reconcileNodeClaim(world.ports, NAME);

    expect(world.claimObjects.size).toBe(1);
    expect(world.instances.size).toBe(1);
    expect(await claimOf(world, NAME)).toBeUndefined();
  });

  it('is a new claim under the name of a terminated one', async () => {
    const world = withMade({ createdAt: NOON + MINUTE_MS });
    await world.ports.nodeClaims.save(aNodeClaim({ name: NAME, deletingAt: NOON, terminatedAt: NOON }), 0);

    await reconcileNodeClaim(world.ports, NAME);

    expect((await claimOf(world, NAME))?.launch).toBeDefined();
  });

  it('is not launched again if the object is an outdated view of a terminated claim', async () => {
    const world = withMade({ createdAt: NOON - MINUTE_MS });
    await world.ports.nodeClaims.save(aNodeClaim({ name: NAME, deletingAt: NOON, terminatedAt: NOON }), 0);

    await reconcileNodeClaim(world.ports, NAME);

    expect(world.instances.size).toBe(0);
  });
});
