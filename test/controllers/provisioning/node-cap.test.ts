import { describe, expect, it } from 'vitest';
import { reconcileNodeClaim } from '../../../shared/controllers/node-claim/reconcile.ts';
import { toLaunchCaps } from '../../../shared/controllers/provisioning/launch-caps.ts';
import { reconcileProvisioning } from '../../../shared/controllers/provisioning/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { toUserEvents } from '../../../shared/kubernetes/events/cluster-user-events.ts';
import { formatEvent } from '../../../shared/model/explanations/event-kinds.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aNode, aPodSpec, podsOf, resources } from '../../support/builders.ts';
import { addRunning, aFakeWorld, claimsOf, type FakeWorld, joinNode, takeHints } from '../support/fake-ports.ts';

/** Pods of which an m7i.large takes one. */
const largePods = (count: number) => podsOf(count, { spec: aPodSpec({ requests: resources(1.5, 1, { pods: 1 }) }) });

async function plan(world: FakeWorld): Promise<number> {
  world.now += 11 * SECOND_MS;
  await reconcileProvisioning(world.ports);
  return (await claimsOf(world)).length;
}

/** Lets the Nodes of all claims join and become ready. */
async function startNodes(world: FakeWorld): Promise<void> {
  const joined = new Set(world.objects.nodes.map(({ name }) => name));
  const names = (await claimsOf(world)).map(({ name }) => name);
  for (const name of names.filter((one) => !joined.has(one))) joinNode(world, name);
  for (const name of names) await reconcileNodeClaim(world.ports, name);
}

const cappedIn = (world: FakeWorld) => world.events.filter((event) => event.kind === 'capped');

describe('the default of maxNodes', () => {
  it('lets a new cluster grow to 20 nodes, and to three times as many whenever they are ready', async () => {
    const world = aFakeWorld({ pods: largePods(200) });

    expect(await plan(world)).toBe(20);
    await startNodes(world);
    expect(await plan(world)).toBe(60);
    await startNodes(world);
    expect(await plan(world)).toBe(180);
  });

  it('does not rise while nodes do not start', async () => {
    const world = aFakeWorld({ pods: largePods(50) });
    await plan(world);
    await plan(world);

    expect(await plan(world)).toBe(20);
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'plan' },
      at: Math.ceil(world.now / (10 * SECOND_MS) + 1) * 10 * SECOND_MS,
    });
  });

  it('names the pods that wait in the log and in their Events', async () => {
    const world = aFakeWorld({ pods: largePods(50) });
    await plan(world);

    const [event] = cappedIn(world);
    expect(event).toMatchObject({
      nodes: 30,
      cap: { name: 'maxNodes', limit: 20, peak: 0 },
      podCount: 30,
    });
    if (!event) throw new Error('nothing was capped');
    expect(formatEvent(event)).toMatch(
      /^30 nodes for 30 pods \(default\/web-\d+.*\) wait: the cluster may have 20 nodes for now/,
    );
    expect(toUserEvents(event)).toHaveLength(25);
    expect(toUserEvents(event)[0]).toMatchObject({
      reason: 'LaunchesCapped',
      type: 'Warning',
      subject: { kind: 'Pod', pod: event.pods[0] },
    });
  });

  it('allows three times the largest number of ready nodes of the last day', async () => {
    const world = aFakeWorld();
    for (let node = 1; node <= 10; node += 1) await addRunning(world, `general-${node}`);
    await sweep(world.ports);
    await sweepAfterLease(world);
    // Nodes of managed node groups are part of the cluster's size.
    world.objects = {
      ...world.objects,
      nodes: [...world.objects.nodes, ...Array.from({ length: 5 }, (_, i) => aNode({ name: `mng-${i}` }))],
    };
    await sweepAfterLease(world);
    await removeAll(world);
    world.now += DAY_MS - HOUR_MS;
    await sweepAfterLease(world);
    world.objects = { ...world.objects, pods: largePods(100) };

    expect(await plan(world)).toBe(45);
  });

  it('forgets what was more than a day ago', async () => {
    const world = aFakeWorld();
    for (let node = 1; node <= 10; node += 1) await addRunning(world, `general-${node}`);
    await sweep(world.ports);
    await sweepAfterLease(world);
    await removeAll(world);
    world.now += DAY_MS + HOUR_MS;
    await sweepAfterLease(world);
    world.objects = { ...world.objects, pods: largePods(100) };

    expect(await plan(world)).toBe(20);
  });

  it.each([
    ['maxNodes', { maxNodes: 7 }, 7],
    ['a larger maxNodes', { maxNodes: 45 }, 45],
    ['maxHourlyUsd', { hourlyUsd: 3 }, 29],
  ])('is replaced by %s of the operator', async (_, explicit, nodes) => {
    const world = aFakeWorld({ pods: largePods(50) });
    world.now += 2 * SECOND_MS;

    await reconcileProvisioning({ ...world.ports, launchCaps: toLaunchCaps(explicit) });
    expect(await claimsOf(world)).toHaveLength(nodes);
  });
});

async function sweepAfterLease(world: FakeWorld): Promise<void> {
  world.now += MINUTE_MS;
  await sweep(world.ports);
}

async function removeAll(world: FakeWorld): Promise<void> {
  for (const { claim, version } of (await world.ports.nodeClaims.list()).records) {
    await world.ports.nodeClaims.save({ ...claim, terminatedAt: world.now }, version);
  }
  world.instances.clear();
  world.claimObjects.clear();
  world.objects = { ...world.objects, nodes: [], nodeClaims: [] };
}
