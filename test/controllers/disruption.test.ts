import { describe, expect, it } from 'vitest';
import { reconcileDisruption } from '../../shared/controllers/disruption.ts';
import { timeOutMs } from '../../shared/controllers/disruption-commands.ts';
import { reconcileNodeClaim } from '../../shared/controllers/node-lifecycle.ts';
import type { Node } from '../../shared/model/node.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import type { Pod } from '../../shared/model/pod.ts';
import { DISRUPTED_TAINT } from '../../shared/model/taints.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import {
  aLaunch,
  aNodeClaim,
  aNodePool,
  anOffering,
  aPodSpec,
  aRunningPod,
  aTypeOf,
  NOON,
  offeringsOf,
  resources,
  ZONES,
} from '../support/builders.ts';
import { type CrashMoment, crashing, survives } from './crash.ts';
import {
  addRunning,
  aFakeWorld,
  claimOf,
  type FakeWorld,
  providerIdOf,
  takeHints,
} from './fake-ports.ts';

const reconcile = (world: FakeWorld) => reconcileDisruption(world.ports);
const allGoes = aNodePool({
  disruption: {
    consolidateAfterMs: 0,
    policy: 'WhenEmptyOrUnderutilized',
    budgets: [{ nodes: '100%' }],
  },
});
const aSmallPod = (node: string, over: Partial<Pod> = {}): Pod =>
  aRunningPod(node, {
    name: `on-${node}`,
    owner: { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' },
    spec: aPodSpec({ requests: resources(0.5, 1, { pods: 1 }) }),
    ...over,
  });

/** Claims `a`, `b`, … with a small pod on each, ten minutes old. */
async function withNodes(names: string, pods: readonly Pod[] = []): Promise<FakeWorld> {
  const world = aFakeWorld({ pools: [allGoes], pods });
  for (const name of names) await addRunning(world, name);
  world.now = NOON + 10 * MINUTE_MS;
  return world;
}

const isTainted = ({ taints }: Node): boolean => taints.includes(DISRUPTED_TAINT);
const tainted = (world: FakeWorld) => world.objects.nodes.filter(isTainted).map(({ name }) => name);
const deletedClaims = async ({ ports }: FakeWorld) =>
  (await ports.nodeClaims.list())
    .filter(({ claim }) => claim.deletingAt !== undefined)
    .map(({ claim }) => claim.name);

describe('a proposal', () => {
  it('changes nothing for 15 s', async () => {
    const world = await withNodes('ab', [aSmallPod('a')]);
    await reconcile(world);

    expect(await world.ports.commands.list()).toMatchObject([
      { reason: 'Empty', candidates: ['b'], decidedAt: world.now },
    ]);
    expect(tainted(world)).toEqual([]);
    expect(await deletedClaims(world)).toEqual([]);
    expect(takeHints(world)).toEqual([
      { hint: { topic: 'disrupt' }, at: world.now + 15 * SECOND_MS },
    ]);
  });

  it('is carried out if it still holds', async () => {
    const world = await withNodes('ab', [aSmallPod('a')]);
    await reconcile(world);
    world.now += 15 * SECOND_MS;
    await reconcile(world);

    expect(tainted(world)).toEqual(['b']);
    expect(await claimOf(world, 'b')).toMatchObject({ deletingAt: world.now, removal: 'Empty' });
    expect(await world.ports.commands.list()).toEqual([]);
    expect(world.events).toEqual([
      { kind: 'remove-empty', at: world.now, claims: ['b'], savingHourlyUsd: 0.1008 },
    ]);
  });

  it('is dropped if a pod came in the meantime', async () => {
    const world = await withNodes('ab', [aSmallPod('a', { name: 'big', spec: aPodSpec() })]);
    await reconcile(world);
    world.now += 15 * SECOND_MS;
    const big = aSmallPod('b', { name: 'big-2', spec: aPodSpec({ requests: resources(1.5, 1) }) });
    world.objects = { ...world.objects, pods: [...world.objects.pods, big] };
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual([]);
    expect(tainted(world)).toEqual([]);
    expect(await world.ports.commands.list()).toEqual([]);
  });

  it('of several empty nodes is carried out for those that still are', async () => {
    const world = await withNodes('abc', [aSmallPod('a')]);
    await reconcile(world);
    world.now += 15 * SECOND_MS;
    world.objects = { ...world.objects, pods: [...world.objects.pods, aSmallPod('c')] };
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual(['b']);
    expect(world.events).toMatchObject([{ claims: ['b'], savingHourlyUsd: 0.1008 }]);
  });

  it('to move pods waits for the same answer twice', async () => {
    const world = await withNodes('ab', [aSmallPod('a'), aSmallPod('b')]);
    await reconcile(world);
    const [proposal] = await world.ports.commands.list();
    expect(proposal).toMatchObject({ reason: 'Underutilized', candidates: ['a'] });

    world.now += 15 * SECOND_MS;
    await reconcile(world);
    expect(world.events).toMatchObject([{ kind: 'remove', claims: ['a'], pods: 1 }]);
    expect(Object.keys(await world.ports.nominations.list(world.now))).toContain('b');
  });

  it('is dropped while its node waits for planned pods', async () => {
    const world = await withNodes('ab', [aSmallPod('a')]);
    await reconcile(world);
    world.now += 15 * SECOND_MS;
    await world.ports.nominations.nominate(['b'], world.now + 1);
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual([]);
  });

  it('22.12-185: that is looked at too late says nothing any more', async () => {
    const world = await withNodes('ab', [aSmallPod('a')]);
    await reconcile(world);
    world.now += 5 * MINUTE_MS;
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual([]);
    expect(await world.ports.commands.list()).toEqual([]);
  });

  it('22.12-184: that is looked at twice starts one command', async () => {
    const world = await withNodes('ab', [aSmallPod('a')]);
    await reconcile(world);
    world.now += 15 * SECOND_MS;
    await reconcile(world);
    await reconcile(world);

    expect(world.events).toHaveLength(1);
  });
});

describe('a proposal to replace a node', () => {
  const large = aTypeOf('m7i.4xlarge', 16, 64);
  const small = aTypeOf('m7i.large', 2, 8);
  const offer = (usd: number) => [
    ...offeringsOf('m7i.4xlarge', 0.8064, ZONES, ['on-demand']),
    ...offeringsOf('m7i.large', usd, ZONES, ['on-demand']),
  ];

  /** A small pod on a large node. */
  async function withProposal(): Promise<FakeWorld> {
    const world = aFakeWorld({ pools: [allGoes], pods: [aSmallPod('a')] });
    world.catalogue = { types: [large, small], offerings: offer(0.1008) };
    const launch = aLaunch({
      providerId: providerIdOf('a'),
      instanceType: 'm7i.4xlarge',
      hourlyUsd: 0.8064,
    });
    await addRunning(world, 'a', { launch });
    world.now = NOON + 10 * MINUTE_MS;
    await reconcile(world);
    world.now += 15 * SECOND_MS;
    return world;
  }

  it('launches the replacement first', async () => {
    const world = await withProposal();
    expect(await world.ports.commands.list()).toMatchObject([
      { candidates: ['a'], replacements: [{ cheapest: { instanceType: 'm7i.large' } }] },
    ]);
    await reconcile(world);

    expect(world.instances.size).toBe(2);
    expect(tainted(world)).toEqual(['a']);
    expect(await deletedClaims(world)).toEqual([]);
    expect(world.events).toMatchObject([
      { kind: 'replace', claims: ['a'], from: 'on-demand, $0.806', savingHourlyUsd: 0.7056 },
    ]);
  });

  it('is dropped if what it would launch is not good any more', async () => {
    const world = await withProposal();
    world.catalogue = { types: [large, small], offerings: offer(0.9) };
    await reconcile(world);

    expect(world.instances.size).toBe(1);
    expect(await world.ports.commands.list()).toEqual([]);
  });

  it('is dropped if its pods need something else now', async () => {
    const world = await withProposal();
    const grown = aSmallPod('a', { name: 'grown', spec: aPodSpec({ requests: resources(10, 8) }) });
    world.objects = { ...world.objects, pods: [...world.objects.pods, grown] };
    await reconcile(world);

    expect(world.instances.size).toBe(1);
  });

  it('22.11-177: does not start on a node that another command has', async () => {
    const world = await withProposal();
    await world.ports.commands.add({ ...replacedBy('other'), validatedAt: world.now });
    await reconcile(world);

    expect(world.events).toEqual([]);
    expect(await world.ports.commands.list()).toMatchObject([{ id: 'd-1' }]);
  });
});

describe('looking again', () => {
  it('follows the first verdict that knows when, on the next full ten seconds', async () => {
    const world = await withNodes('a', [aSmallPod('a')]);
    await world.ports.nominations.nominate(['a'], world.now + 7 * SECOND_MS);
    await reconcile(world);

    expect(takeHints(world)).toEqual([
      { hint: { topic: 'disrupt' }, at: world.now + 10 * SECOND_MS },
    ]);
  });

  it('22.1-1: waits while a claim is being launched', async () => {
    const world = await withNodes('ab', [aSmallPod('a')]);
    await world.ports.nodeClaims.save(aNodeClaim({ name: 'new' }), 0);
    await reconcile(world);

    expect(await world.ports.commands.list()).toEqual([]);
    expect(takeHints(world)).toEqual([
      { hint: { topic: 'disrupt' }, at: world.now + 10 * SECOND_MS },
    ]);
  });
});

const command = (over: Partial<DisruptionCommand> = {}): DisruptionCommand => ({
  id: 'd-1',
  reason: 'Underutilized',
  decidedAt: NOON,
  validatedAt: NOON,
  candidates: ['a'],
  replacements: [],
  placements: [],
  savingHourlyUsd: 0.1,
  ...over,
});
const replacedBy = (...names: readonly string[]): DisruptionCommand =>
  command({
    replacements: names.map((name) => ({
      claim: aNodeClaim({ name, decision: 'd-1' }),
      pods: ['default/on-a'],
      cheapest: anOffering(),
    })),
  });

/** A running command over claims `a` and `b`, one pod too large for the other node on each. */
async function withCommand(running: DisruptionCommand): Promise<FakeWorld> {
  const large = (node: string) =>
    aSmallPod(node, { spec: aPodSpec({ requests: resources(1.5, 1) }) });
  const world = await withNodes('ab', [large('a'), large('b')]);
  world.now = NOON + MINUTE_MS;
  await world.ports.commands.add(running);
  return world;
}

async function initialize(world: FakeWorld, name: string): Promise<void> {
  const stored = await world.ports.nodeClaims.find(name);
  if (!stored) throw new Error(`no claim ${name}`);
  const { claim, version } = stored;
  await world.ports.nodeClaims.save({ ...claim, initializedAt: world.now }, version);
}

describe('a running command', () => {
  it('22.11-175: without replacements removes its nodes at once', async () => {
    const world = await withCommand(command());
    await reconcile(world);

    expect(tainted(world)).toEqual(['a']);
    expect(await claimOf(world, 'a')).toMatchObject({ removal: 'Underutilized' });
    expect(await world.ports.commands.list()).toEqual([]);
  });

  it('22.11-166: launches replacements and taints, and waits for them', async () => {
    const world = await withCommand(replacedBy('new'));
    await reconcile(world);

    expect(await claimOf(world, 'new')).toMatchObject({
      createdAt: world.now,
      launch: { at: world.now },
    });
    expect(tainted(world)).toEqual(['a']);
    expect(await deletedClaims(world)).toEqual([]);
    expect(await world.ports.commands.list()).toHaveLength(1);
  });

  it('22.11-167: removes its nodes when the replacement is initialized', async () => {
    const world = await withCommand(replacedBy('new'));
    await reconcile(world);
    await initialize(world, 'new');
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual(['a']);
    expect(await world.ports.commands.list()).toEqual([]);
  });

  it('22.11-168: removes nothing while one of two is missing', async () => {
    const world = await withCommand(replacedBy('new', 'newer'));
    await reconcile(world);
    await initialize(world, 'new');
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual([]);
  });

  it('22.11-170: is given up when a replacement has gone', async () => {
    const world = await withCommand(replacedBy('new', 'newer'));
    await reconcile(world);
    const stored = await world.ports.nodeClaims.find('new');
    const gone = { ...aNodeClaim({ name: 'new' }), deletingAt: world.now };
    await world.ports.nodeClaims.save(gone, stored?.version ?? 0);
    await reconcile(world);

    expect(tainted(world)).toEqual([]);
    expect(await world.ports.commands.list()).toEqual([]);
    // 22.11-179: what came up stays, and is found empty if nobody wants it.
    expect(await claimOf(world, 'newer')).not.toHaveProperty('deletingAt');
    expect(await claimOf(world, 'a')).not.toHaveProperty('deletingAt');
  });

  it('22.11-174: is given up when EC2 has no replacement, before anything is tainted', async () => {
    const world = await withCommand(replacedBy('new'));
    world.launch = () => ({ outcome: 'unavailable', unavailable: [] });
    await reconcile(world);

    expect(tainted(world)).toEqual([]);
    expect(await world.ports.commands.list()).toEqual([]);
  });

  it.each([
    ['22.11-171: goes on after 9 min', 9, 1],
    ['22.11-171: is given up after 11 min', 11, 0],
  ])('%s', async (_, minutes, left) => {
    const world = await withCommand(replacedBy('new'));
    await reconcile(world);
    world.now = NOON + minutes * MINUTE_MS;
    await reconcile(world);

    const running = (await world.ports.commands.list()).filter(({ id }) => id === 'd-1');
    expect(running).toHaveLength(left);
    expect(tainted(world)).toHaveLength(left);
  });

  it.each([
    [1, 10 * MINUTE_MS],
    [4_000, 10 * MINUTE_MS],
    [10_000, 800 * SECOND_MS],
    [80_000, HOUR_MS],
  ])('22.11-172: %i nodes have %i ms', (nodes, ms) => {
    expect(timeOutMs(nodes)).toBe(ms);
  });

  it('22.11-176: succeeds if a node of it was removed by hand', async () => {
    const world = await withCommand(command({ candidates: ['gone', 'a'] }));
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual(['a']);
    expect(await world.ports.commands.list()).toEqual([]);
  });
});

describe('a Node that somebody else changes at the same moment', () => {
  /** Every read is a copy: no change finds the Node that was read. */
  const withStaleReads = ({ ports, objects }: FakeWorld): Ports => ({
    ...ports,
    cluster: {
      ...ports.cluster,
      observe: async () => ({ ...objects, nodes: objects.nodes.map((node) => ({ ...node })) }),
    },
  });

  it('is tainted a second later', async () => {
    const world = await withCommand(command());
    await reconcileDisruption(withStaleReads(world));

    expect(await deletedClaims(world)).toEqual([]);
    expect(await world.ports.commands.list()).toHaveLength(1);
    expect(takeHints(world)).toContainEqual({
      hint: { topic: 'disrupt' },
      at: world.now + SECOND_MS,
    });
  });

  it('22.1-9: is opened again later, without an error', async () => {
    const world = await withNodes('a');
    world.objects = {
      ...world.objects,
      nodes: world.objects.nodes.map((node) => ({ ...node, taints: [DISRUPTED_TAINT] })),
    };
    await reconcileDisruption(withStaleReads(world));

    expect(tainted(world)).toEqual(['a']);
    expect(takeHints(world)).toContainEqual({ hint: { topic: 'disrupt' }, at: world.now });
  });
});

describe('a taint that nobody wants', () => {
  const withTaint = async (over: Parameters<typeof addRunning>[2] = {}) => {
    const world = aFakeWorld({ pools: [aNodePool()], pods: [aSmallPod('a')] });
    await addRunning(world, 'a', over, { taints: [DISRUPTED_TAINT] });
    return world;
  };

  it('22.1-4, 22.12-182: is taken away', async () => {
    const world = await withTaint();
    await reconcile(world);

    expect(tainted(world)).toEqual([]);
  });

  it('22.1-6: stays on a node that is going', async () => {
    const world = await withTaint({ deletingAt: NOON });
    await reconcile(world);

    expect(tainted(world)).toEqual(['a']);
  });

  it('22.1-7: stays on a node of a running command', async () => {
    const world = await withTaint();
    await world.ports.commands.add(replacedBy('new'));
    await reconcile(world);

    expect(tainted(world)).toEqual(['a']);
  });

  it('22.1-8: stays on a node without claim', async () => {
    const world = aFakeWorld();
    const claimed = await withTaint();
    world.objects = claimed.objects;
    await reconcile(world);

    expect(tainted(world)).toEqual(['a']);
  });
});

describe('an invocation that dies in a command', () => {
  const finish = async (world: FakeWorld) => {
    // By then nobody will tell any more what EC2 answered.
    world.now += 40 * SECOND_MS;
    await reconcile(world);
    await reconcileNodeClaim(world.ports, 'new');
    await initialize(world, 'new');
    await reconcile(world);
  };

  it.each<CrashMoment>(['before', 'after'])(
    '22.12-183, 22.12-189: is taken up at whichever call it died: %s it took effect',
    async (moment) => {
      for (let call = 1; call <= 30; call += 1) {
        const world = await withCommand(replacedBy('new'));
        await survives(crashing(world.ports, call, moment), reconcileDisruption);
        await finish(world);

        expect(await deletedClaims(world)).toEqual(['a']);
        expect([...world.instances.values()].map(({ claim }) => claim)).toEqual(['a', 'b', 'new']);
      }
    },
  );

  it.each<CrashMoment>(['before', 'after'])(
    'removes its nodes once they are replaced, at whichever call it died: %s it took effect',
    async (moment) => {
      const untilReplaced = async (ports: Ports, world: FakeWorld) => {
        await reconcileDisruption(ports);
        await initialize(world, 'new');
      };
      for (let call = 1; call <= 30; call += 1) {
        const world = await withCommand(replacedBy('new'));
        await untilReplaced(world.ports, world);
        await survives(crashing(world.ports, call, moment), reconcileDisruption);
        await reconcile(world);

        expect(await deletedClaims(world)).toEqual(['a']);
        expect((await world.ports.commands.list()).filter(({ id }) => id === 'd-1')).toEqual([]);
      }
    },
  );
});
