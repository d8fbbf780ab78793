import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { InstanceFacts } from '../../../shared/ports/cloud.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import { toNodeClaimObject } from '../../../shared/simulation/control-plane/cluster.ts';
import { aLaunch, aNode, aNodeClaim, aRunningPod, NOON, nodeLabels } from '../../support/builders.ts';
import {
  addRunning,
  aFakeWorld,
  claimOf,
  type FakeWorld,
  joinNode,
  providerIdOf,
  takeHints,
} from '../support/fake-ports.ts';
import { addInstance } from '../sweep-world.ts';

const NAME = 'general-1';

const changeNode = (world: FakeWorld, over: Partial<Node>): void => {
  const nodes = world.objects.nodes.map((node) => ({ ...node, ...over }));
  world.objects = { ...world.objects, nodes };
};
const failing = async (): Promise<never> => {
  throw new Error('no answer');
};

describe('a launch', () => {
  it('records the instance on the claim, whose own labels take precedence', async () => {
    const world = aFakeWorld();
    const launch = aLaunch({
      providerId: providerIdOf(NAME),
      imageId: 'ami-1',
      labels: { [ZONE_LABEL]: 'b', team: 'a' },
    });
    world.launch = () => ({ outcome: 'launched', launch, unavailable: [] });
    await world.ports.nodeClaims.save(aNodeClaim({ name: NAME, labels: { [ZONE_LABEL]: 'a' } }), 0);

    await reconcileNodeClaim(world.ports, NAME);

    const claim = await claimOf(world, NAME);
    expect(claim?.launch).toEqual({ ...launch, calledAt: NOON });
    expect(claim?.labels).toEqual({ [ZONE_LABEL]: 'a', team: 'a' });
  });

  it('precedes any registration', async () => {
    const world = aFakeWorld();
    world.launch = () => ({ outcome: 'unavailable', unavailable: [] });
    await world.ports.nodeClaims.save(aNodeClaim({ name: NAME }), 0);
    joinNode(world, NAME);
    const before = world.objects.nodes;

    await reconcileNodeClaim(world.ports, NAME);

    expect(world.objects.nodes).toEqual(before);
  });
});

describe('an initialized node', () => {
  it('keeps a label that a user edited', async () => {
    const world = aFakeWorld();
    await addRunning(world, NAME, { labels: { team: 'a' } });
    changeNode(world, { labels: { team: 'b' } });

    await reconcileNodeClaim(world.ports, NAME);

    expect(world.objects.nodes[0]?.labels).toEqual({ team: 'b' });
  });

  it('stays initialized when its kubelet stops reporting', async () => {
    const world = aFakeWorld();
    await addRunning(world, NAME);
    changeNode(world, { ready: false });

    await reconcileNodeClaim(world.ports, NAME);

    expect(await claimOf(world, NAME)).toMatchObject({ initializedAt: NOON });
    expect((await claimOf(world, NAME))?.deletingAt).toBeUndefined();
  });
});

describe('a claim that is being deleted', () => {
  const drained = { deletingAt: NOON, drainingAt: NOON, drainedAt: NOON, volumesDetachedAt: NOON };

  it('keeps its state while EC2 does not accept the termination', async () => {
    const world = aFakeWorld();
    await addRunning(world, NAME, drained);
    const ports: Ports = {
      ...world.ports,
      cloud: { ...world.ports.cloud, terminate: failing },
    };

    await expect(reconcileNodeClaim(ports, NAME)).rejects.toThrow('no answer');

    expect((await claimOf(world, NAME))?.terminatingAt).toBeUndefined();
    expect(world.claimObjects.has(NAME)).toBe(true);
    expect(world.objects.nodes).toHaveLength(1);
  });

  it('evicts a pod once its do-not-disrupt annotation is removed', async () => {
    const pod = aRunningPod(NAME, {
      name: 'web-1',
      annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
    });
    const world = aFakeWorld({ pods: [pod] });
    await addRunning(world, NAME, { deletingAt: NOON, drainingAt: NOON });
    await reconcileNodeClaim(world.ports, NAME);
    expect(world.podCalls).toEqual([]);

    world.objects = { ...world.objects, pods: [{ ...pod, annotations: {} }] };
    await reconcileNodeClaim(world.ports, NAME);

    expect(world.podCalls).toEqual(['evict default/web-1']);
  });

  it('is continued by the sweep if its wake-ups were lost', async () => {
    const world = aFakeWorld();
    await addRunning(world, NAME, { deletingAt: NOON, drainingAt: NOON });

    await sweep(world.ports);

    expect(takeHints(world)).toContainEqual({ hint: { topic: 'claim', claim: NAME }, at: NOON });
  });

  it('sends each eviction once per pass if two passes overlap, and loses nothing', async () => {
    const world = aFakeWorld({ pods: [aRunningPod(NAME, { name: 'web-1' })] });
    await addRunning(world, NAME, { deletingAt: NOON, drainingAt: NOON });

    await Promise.all([1, 2].map(() => reconcileNodeClaim(world.ports, NAME)));
    world.now = NOON + MINUTE_MS;
    await reconcileNodeClaim(world.ports, NAME);

    expect(world.instances.size).toBe(0);
    expect(world.objects.nodes).toEqual([]);
  });
});

it('a claim whose registration was not recorded is drained as its PodDisruptionBudget allows', async () => {
  const world = aFakeWorld({ pods: [aRunningPod(NAME, { name: 'web-1' })] });
  world.refusingBudgets.set('web-1', 'web');
  await addRunning(world, NAME);
  const stored = await world.ports.nodeClaims.find(NAME);
  if (!stored) throw new Error('no claim');
  const { registeredAt: _, initializedAt: __, ...launched } = stored.claim;
  await world.ports.nodeClaims.save({ ...launched, deletingAt: NOON }, stored.version);

  await reconcileNodeClaim(world.ports, NAME);
  world.now += MINUTE_MS;
  await reconcileNodeClaim(world.ports, NAME);

  expect(world.podCalls).toContain('evict default/web-1');
  expect(world.instances.size).toBe(1);
});

it('a claim is finished although a crash followed the removal of the finalizer of its Node', async () => {
  const world = aFakeWorld();
  await addRunning(world, NAME, {}, { ready: false });
  await world.ports.cloud.terminate(providerIdOf(NAME));
  await reconcileNodeClaim(world.ports, NAME);
  const deleteNode = failing;
  const ports: Ports = { ...world.ports, cluster: { ...world.ports.cluster, deleteNode } };
  await expect(reconcileNodeClaim(ports, NAME)).rejects.toThrow('no answer');
  expect(world.objects.nodes).toMatchObject([{ finalizers: [] }]);

  world.now += MINUTE_MS;
  await sweep(world.ports);
  expect(takeHints(world)).toContainEqual({
    hint: { topic: 'claim', claim: NAME },
    at: world.now,
  });
  await reconcileNodeClaim(world.ports, NAME);

  expect(world.objects.nodes).toEqual([]);
  expect(world.claimObjects.has(NAME)).toBe(false);
});

describe('a Node without a claim', () => {
  const going = (over: Partial<Node> = {}): FakeWorld => {
    const old = { createdAt: NOON - HOUR_MS, deletionAt: NOON, ready: false };
    return aFakeWorld({ nodes: [aNode({ name: 'stray', ...old, ...over })] });
  };

  it('is released if it is being deleted and has no instance', async () => {
    const world = going();

    await sweep(world.ports);

    expect(world.objects.nodes).toEqual([]);
  });

  it.each<[string, Partial<Node>]>([
    ['it belongs to EKS Auto Mode', { labels: { ...nodeLabels(), 'eks.amazonaws.com/compute-type': 'auto' } }],
    ['it has a NodeClass of EKS Auto Mode', { labels: { ...nodeLabels(), 'eks.amazonaws.com/nodeclass': 'default' } }],
    ['its kubelet responds', { ready: true }],
    ['it is so new that EC2 may not show its instance', { createdAt: NOON - 299 * SECOND_MS }],
  ])('keeps its finalizer if %s', async (_, over) => {
    const world = going(over);

    await sweep(world.ports);

    expect(world.objects.nodes[0]?.finalizers).toEqual(['karpenter.sh/termination']);
  });

  it.each([
    ['Mortise', 'p-1-0'],
    ['another tool', undefined],
  ])('is released without its labels once its instance is gone that %s launched', async (_, id) => {
    const providerId = providerIdOf('stray');
    const world = going({ labels: {}, providerId });
    const instance = { providerId, claim: '', state: 'running' } as const;
    world.instances.set(providerId, { ...instance, ...(id !== undefined && { launchId: id }) });
    await sweep(withUnlistedInstances(world.ports));
    expect(world.objects.nodes).toHaveLength(1);

    await world.ports.cloud.terminate(providerId);
    await sweep(world.ports);

    expect(world.objects.nodes).toEqual([]);
  });

  it('keeps its finalizer while EC2 has its instance, whose tags are not ours', async () => {
    const world = going({ name: NAME, providerId: providerIdOf(NAME) });
    addInstance(world, NAME);

    await sweep(withUnlistedInstances(world.ports));

    expect(world.objects.nodes[0]?.finalizers).toEqual(['karpenter.sh/termination']);
  });

  it('keeps its finalizer if EC2 does not answer for its instance', async () => {
    const world = going();
    const cloud = { ...world.ports.cloud, instance: failing };

    await expect(sweep({ ...world.ports, cloud })).rejects.toThrow('no answer');

    expect(world.objects.nodes[0]?.finalizers).toEqual(['karpenter.sh/termination']);
  });

  it('is left alone without our finalizer', async () => {
    const world = going({ finalizers: ['example.com/hold'] });

    await sweep(world.ports);

    expect(world.objects.nodes[0]?.finalizers).toEqual(['example.com/hold']);
  });
});

/** EC2's list contains only instances that Mortise launched; a single instance is always found. */
const withUnlistedInstances = (ports: Ports): Ports => ({
  ...ports,
  cloud: { ...ports.cloud, instances: async () => [] },
});

describe('a Node that Karpenter was draining before the hand-over', () => {
  const facts: InstanceFacts = {
    instanceType: 'm7i.large',
    zone: 'us-east-1a',
    capacityType: 'on-demand',
    pool: 'general',
    nodeClass: 'default',
  };

  it('is adopted and drained before its instance ends', async () => {
    const providerId = providerIdOf(NAME);
    const pod = aRunningPod(NAME, { name: 'web-1' });
    const node = aNode({ name: NAME, providerId, deletionAt: NOON, ready: false });
    const world = aFakeWorld({ nodes: [node], pods: [pod] });
    world.refusingBudgets.set('web-1', 'web');
    world.instances.set(providerId, { providerId, claim: '', state: 'running', facts });
    const object = toNodeClaimObject(aNodeClaim({ name: NAME }));
    world.claimObjects.set(NAME, { ...object, providerId, deletionAt: NOON });
    const ports = withUnlistedInstances(world.ports);

    await sweep(ports);
    expect(world.objects.nodes).toHaveLength(1);
    for (let step = 0; step < 4; step += 1) {
      await reconcileNodeClaim(ports, NAME);
      world.now += MINUTE_MS;
    }
    expect(world.podCalls).toContain('evict default/web-1');
    expect(world.instances.has(providerId)).toBe(true);

    world.refusingBudgets.clear();
    for (let step = 0; step < 4; step += 1) {
      await reconcileNodeClaim(ports, NAME);
      world.now += MINUTE_MS;
    }
    expect(world.instances.has(providerId)).toBe(false);
    expect(world.objects.nodes).toEqual([]);
    expect(world.claimObjects.has(NAME)).toBe(false);
  });
});

describe('objects that cannot be read', () => {
  it.each<[string, (ports: Ports) => Ports]>([
    ['records', (ports) => ({ ...ports, nodeClaims: { ...ports.nodeClaims, list: failing } })],
    ['cluster', (ports) => ({ ...ports, cluster: { ...ports.cluster, observe: failing } })],
    ['instances', (ports) => ({ ...ports, cloud: { ...ports.cloud, instances: failing } })],
  ])('cause no termination: %s', async (_, blind) => {
    const world = aFakeWorld();
    await addRunning(world, NAME);

    await expect(sweep(blind(world.ports))).rejects.toThrow('no answer');

    expect(world.instances.size).toBe(1);
  });
});

it('do not stop the drain of a claim whose pool was deleted', async () => {
  const world = aFakeWorld({ pools: [], pods: [aRunningPod(NAME, { name: 'web-1' })] });
  await addRunning(world, NAME);
  const object = world.claimObjects.get(NAME);
  // By ownership: the API server's garbage collector deleted it.
  if (object) world.claimObjects.set(NAME, { ...object, deletionAt: NOON });

  await reconcileNodeClaim(world.ports, NAME);
  await reconcileNodeClaim(world.ports, NAME);
  await reconcileNodeClaim(world.ports, NAME);

  expect(world.podCalls).toEqual(['evict default/web-1']);
});
