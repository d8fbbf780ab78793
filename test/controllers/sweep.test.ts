import { describe, expect, it, vi } from 'vitest';
import { sendPlannerHeartbeat } from '../../shared/controllers/provisioning/reconcile.ts';
import { sweep } from '../../shared/controllers/sweep.ts';
import { memoryZonalShifts } from '../../shared/memory/capacity-records.ts';
import type { Labels } from '../../shared/model/labels.ts';
import type { NodePoolStatus } from '../../shared/model/nodes/reported-status.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import { aNode, aNodeClaim, aPod, NOON } from '../support/builders.ts';
import { addRunning, aFakeWorld, claimsOf, type FakeWorld, providerIdOf, takeHints } from './support/fake-ports.ts';
import { addInstance, failing, hintedClaims, listOnlyOwn } from './sweep-world.ts';

describe('a sweep of which a part fails', () => {
  const pod = aPod();
  const planned = { hint: { topic: 'plan' }, at: NOON };

  it.each<[string, (ports: Ports) => Partial<Ports>]>([
    ['EC2 lists no instances', ({ cloud }) => ({ cloud: { ...cloud, instances: failing } })],
    ['its state cannot be read', ({ sweepState }) => ({ sweepState: { ...sweepState, read: failing } })],
    ['a commit cannot be recovered', ({ commits }) => ({ commits: { ...commits, latest: failing } })],
    ['no NodePool status can be written', ({ cluster }) => ({ cluster: { ...cluster, reportNodePool: failing } })],
    ['ARC does not answer', () => ({ shiftSource: { findShifts: failing }, zonalShifts: memoryZonalShifts() })],
  ])('sends its hints and throws the failure: %s', async (_, broken) => {
    const world = aFakeWorld({ pods: [pod] });
    await addRunning(world, 'general-1', { deletingAt: NOON });
    await sendPlannerHeartbeat(world.ports);

    await expect(sweep({ ...world.ports, ...broken(world.ports) })).rejects.toThrow('throttled');
    const hints = takeHints(world);
    expect(hints).toContainEqual({ hint: { topic: 'claim', claim: 'general-1' }, at: NOON });
    expect(hints).toContainEqual(planned);
  });

  it('has done everything else when its own plan ends the invocation', async () => {
    const world = aFakeWorld({ pods: [pod] });
    await addRunning(world, 'general-1', { deletingAt: NOON });
    const reported: string[] = [];
    // Only plans read the unavailable offerings.
    const neverEnds = new Promise<never>(() => {});
    const unavailableOfferings = { ...world.ports.unavailableOfferings, list: () => neverEnds };
    const cluster = {
      ...world.ports.cluster,
      reportNodePool: async ({ pool }: NodePoolStatus) => {
        reported.push(pool);
      },
    };
    const unfinished = sweep({ ...world.ports, cluster, unavailableOfferings });

    await vi.waitFor(() => expect(reported).toEqual(['general']));
    expect(takeHints(world)).toEqual(expect.arrayContaining([planned, { hint: { topic: 'disrupt' }, at: NOON }]));
    expect(await Promise.race([unfinished, Promise.resolve('under way')])).toBe('under way');
  });

  it('considers no instance as gone while EC2 does not answer', async () => {
    const world = aFakeWorld();
    await addRunning(world, 'general-1');
    world.ports.cloud.instances = failing;

    await expect(sweep(world.ports)).rejects.toThrow();
    expect(hintedClaims(world)).toEqual([]);
    expect(world.objects.nodes).toHaveLength(1);
  });

  it('considers no instance as gone if EC2 does not describe those that Karpenter launched', async () => {
    const world = aFakeWorld();
    await addRunning(world, 'general-1');
    listOnlyOwn(world);
    world.ports.cloud.findInstances = failing;

    await expect(sweep(world.ports)).rejects.toThrow('throttled');
    expect(hintedClaims(world)).toEqual([]);
  });

  it('terminates the leaked instances that EC2 accepts', async () => {
    const world = aFakeWorld();
    await sweep(world.ports);
    for (const name of ['stray-1', 'stray-2', 'stray-3']) addInstance(world, name);
    const { terminate } = world.ports.cloud;
    world.ports.cloud.terminate = async (providerId) => {
      if (providerId === providerIdOf('stray-1')) throw new Error('protected');
      await terminate(providerId);
    };
    await sweep(world.ports);
    world.now += MINUTE_MS;

    await expect(sweep(world.ports)).rejects.toThrow('protected');
    expect([...world.instances.keys()]).toEqual([providerIdOf('stray-1')]);
  });
});

describe('the claim reconciles that a sweep requests', () => {
  it('leave out healthy claims', async () => {
    const world = aFakeWorld();
    await addRunning(world, 'general-1', { expireAfterMs: MINUTE_MS });
    await sweep(world.ports);

    expect(takeHints(world)).toEqual([{ hint: { topic: 'disrupt' }, at: NOON }]);
  });

  it('leave out healthy claims whose instances Karpenter launched', async () => {
    const world = aFakeWorld();
    await addRunning(world, 'general-1');
    listOnlyOwn(world);
    await sweep(world.ports);

    expect(hintedClaims(world)).toEqual([]);
  });

  it.each<[string, (world: FakeWorld) => Promise<unknown>]>([
    ['include claims that are not launched', (world) => world.ports.nodeClaims.save(aNodeClaim({ name: 'odd' }), 0)],
    ['include claims that are being deleted', (world) => addRunning(world, 'odd', { deletingAt: NOON })],
    ['include expired claims', (world) => addRunning(world, 'odd', { expireAfterMs: 0 })],
    ['include claims whose Node is not ready', (world) => addRunning(world, 'odd', {}, { ready: false })],
    ['include claims whose Node is being deleted', (world) => addRunning(world, 'odd', {}, { deletionAt: NOON })],
    [
      'include claims of which one of two Nodes is being deleted',
      async (world) => {
        await addRunning(world, 'odd', {}, { deletionAt: NOON });
        const again = aNode({ name: 'odd-again', providerId: providerIdOf('odd') });
        world.objects = { ...world.objects, nodes: [...world.objects.nodes, again] };
      },
    ],
    [
      'include claims whose instance is gone',
      async (world) => {
        await addRunning(world, 'odd');
        world.instances.delete(providerIdOf('odd'));
      },
    ],
    [
      'include claims whose instance, which Karpenter launched, is gone',
      async (world) => {
        await addRunning(world, 'odd');
        world.instances.delete(providerIdOf('odd'));
        listOnlyOwn(world);
      },
    ],
  ])('%s', async (_, arrange) => {
    const world = aFakeWorld();
    await addRunning(world, 'general-1');
    await arrange(world);
    await sweep(world.ports);

    expect(hintedClaims(world)).toEqual(['odd']);
  });

  it('come with hints to plan pending pods and to run disruption', async () => {
    const world = aFakeWorld({ pods: [aPod()] });
    await sendPlannerHeartbeat(world.ports);
    await sweep(world.ports);

    expect(takeHints(world)).toEqual([
      { hint: { topic: 'plan' }, at: NOON },
      { hint: { topic: 'disrupt' }, at: NOON },
    ]);
    expect(await claimsOf(world)).toEqual([]);
  });

  it.each([
    ['not after 32 s', 32 * SECOND_MS, 0],
    ['a moment later', 32 * SECOND_MS + 1, 1],
  ])('are planned by the sweep itself when the planner is silent: %s', async (_, silentMs, claims) => {
    const world = aFakeWorld({ pods: [aPod()] });
    await sendPlannerHeartbeat(world.ports);
    world.now += silentMs;
    await sweep(world.ports);

    // The claims' own reconciliation launches them.
    expect(hintedClaims(world)).toHaveLength(claims);
    expect(await claimsOf(world)).toHaveLength(claims);
    expect(world.instances.size).toBe(0);
  });
});

describe('a sweep whose time ends', () => {
  const outOfTime = (world: FakeWorld): Ports => ({ ...world.ports, timeLeft: () => 14_999 });

  it('runs one part and hands the others on', async () => {
    const world = aFakeWorld({ pods: [aPod()] });
    await addRunning(world, 'general-1', { deletingAt: NOON });
    await sendPlannerHeartbeat(world.ports);

    await sweep(outOfTime(world));
    const first = takeHints(world).map(({ hint }) => hint);
    await sweep(outOfTime(world), 1);

    expect(first).toEqual([
      { topic: 'claim', claim: 'general-1' },
      { topic: 'sweep', from: 1 },
    ]);
    expect(takeHints(world).map(({ hint }) => hint)).toEqual([
      { topic: 'plan' },
      { topic: 'disrupt' },
      { topic: 'sweep', from: 2 },
    ]);
  });

  it('is completed by the sweeps that follow', async () => {
    const world = aFakeWorld();
    let from: number | undefined = 0;
    let sweeps = 0;
    while (from !== undefined) {
      await sweep(outOfTime(world), from);
      sweeps += 1;
      const [next] = takeHints(world).flatMap(({ hint }) => (hint.topic === 'sweep' ? hint : []));
      from = next?.from;
    }

    expect(sweeps).toBeGreaterThan(10);
    expect(world.poolStatuses.has('general')).toBe(true);
  });
});

describe('two sweeps at the same time', () => {
  it('run once: the second does not get the lease', async () => {
    const world = aFakeWorld({ pods: [aPod()] });
    await world.ports.leases.acquire('sweep', { holder: 'other', now: NOON, forMs: MINUTE_MS });
    await sweep(world.ports);

    expect(world.sent).toEqual([]);
  });
});

describe('a Node that is being deleted', () => {
  const orphan = aNode({
    name: 'orphan',
    providerId: 'aws:///z/i-gone',
    deletionAt: NOON,
    ready: false,
  });

  it('is released when it has neither claim nor instance', async () => {
    const world = aFakeWorld({ nodes: [{ ...orphan, createdAt: NOON - HOUR_MS }] });
    await sweep(world.ports);

    expect(world.objects.nodes).toEqual([]);
  });

  it.each<[string, Labels, number]>([
    ['is released without the labels that tell its owner', {}, 0],
    ['is kept if EKS Auto Mode has it', { 'eks.amazonaws.com/compute-type': 'auto' }, 1],
  ])('%s', async (_, labels, remaining) => {
    const world = aFakeWorld({ nodes: [{ ...orphan, createdAt: NOON - HOUR_MS, labels }] });
    await sweep(world.ports);

    expect(world.objects.nodes).toHaveLength(remaining);
  });

  it('is kept while its instance runs', async () => {
    const world = aFakeWorld({ nodes: [{ ...orphan, providerId: providerIdOf('lost') }] });
    addInstance(world, 'lost');
    await sweep(world.ports);

    expect(world.objects.nodes).toHaveLength(1);
  });

  it('is not released unless its deletion was requested', async () => {
    const { deletionAt: _, ...node } = orphan;
    const world = aFakeWorld({ nodes: [node] });
    await sweep(world.ports);

    expect(world.objects.nodes).toEqual([node]);
  });
});
