import { describe, expect, it } from 'vitest';
import { decideDisruption } from '../../../shared/controllers/disruption/decide-disruption.ts';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import {
  aLaunch,
  aNodePool,
  aPodSpec,
  aRunningPod,
  aTypeOf,
  NOON,
  offeringsOf,
  resources,
  ZONES,
} from '../../support/builders.ts';
import { addRunning, aFakeWorld, claimsOf, type FakeWorld, providerIdOf } from '../support/fake-ports.ts';

const poolWith = (nodes: string): NodePool =>
  aNodePool({
    disruption: {
      consolidateAfterMs: 0,
      policy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes }],
    },
  });
const aPodOn = (node: string, cpus = 0.5): Pod =>
  aRunningPod(node, {
    name: `on-${node}`,
    owner: { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' },
    spec: aPodSpec({ requests: resources(cpus, 1, { pods: 1 }) }),
  });

/** Plans, lets something happen, and validates 15 s later. */
async function afterwards(
  world: FakeWorld,
  happens: (world: FakeWorld) => void | Promise<void>,
): Promise<readonly string[]> {
  world.now = NOON + 10 * MINUTE_MS;
  await reconcileDisruption(world.ports);
  expect((await world.ports.commands.list()).records).toHaveLength(1);
  await happens(world);
  world.now += 15 * SECOND_MS;
  await reconcileDisruption(world.ports);
  return (await claimsOf(world)).filter(({ deletingAt }) => deletingAt !== undefined).map(({ name }) => name);
}

async function withNodes(names: string, pods: readonly Pod[]): Promise<FakeWorld> {
  const world = aFakeWorld({ pools: [poolWith('100%')], pods });
  for (const name of names) await addRunning(world, name);
  return world;
}
const addPod = (pod: Pod) => (world: FakeWorld) => {
  world.objects = { ...world.objects, pods: [...world.objects.pods, pod] };
};
const setBudget = (nodes: string) => (world: FakeWorld) => {
  world.objects = { ...world.objects, pools: [poolWith(nodes)] };
};

describe('validating the removal of empty nodes', () => {
  it('keeps a node that got a pod', async () => {
    const world = await withNodes('ab', [aPodOn('a', 1.5)]);

    expect(await afterwards(world, addPod(aPodOn('b', 1.5)))).toEqual([]);
  });

  it('removes one of two nodes if the other is nominated for pods', async () => {
    const world = await withNodes('abc', [aPodOn('a', 1.5)]);
    const nominate = ({ ports, now }: FakeWorld) => ports.nominations.nominate(['b'], now + MINUTE_MS);

    expect(await afterwards(world, nominate)).toEqual(['c']);
  });

  it('removes none if the budget has closed', async () => {
    const world = await withNodes('abc', [aPodOn('a', 1.5)]);

    expect(await afterwards(world, setBudget('0%'))).toEqual([]);
  });
});

describe('validating a consolidation', () => {
  const small = aTypeOf('m7i.large', 2, 8);
  const smaller = aTypeOf('m7i.medium', 1, 4);
  const large = aTypeOf('m7i.4xlarge', 16, 64);
  const market = (usd: Readonly<Record<string, number>>) => ({
    types: [small, smaller, large],
    offerings: Object.entries(usd).flatMap(([name, price]) => [...offeringsOf(name, price, ZONES, ['on-demand'])]),
  });
  const PRICES = { 'm7i.4xlarge': 0.8, 'm7i.large': 0.1, 'm7i.medium': 0.05 };

  /** A small pod on a large node, which two smaller types can replace. */
  async function withReplacement(): Promise<FakeWorld> {
    const world = aFakeWorld({ pools: [poolWith('100%')], pods: [aPodOn('a')] });
    world.catalogue = market(PRICES);
    const launch = aLaunch({ providerId: providerIdOf('a'), instanceType: 'm7i.4xlarge' });
    await addRunning(world, 'a', { launch });
    return world;
  }
  const launched = ({ instances }: FakeWorld) => instances.size - 1;

  it('stops a move that would bring back what the node replaced', async () => {
    const world = await withReplacement();
    world.now = NOON + 10 * MINUTE_MS;
    await reconcileDisruption(world.ports);
    const stored = await world.ports.nodeClaims.find('a');
    if (!stored) throw new Error('no claim a');
    const annotations = { 'mortise.sh/replaced-instance-types': 'm7i.medium' };
    const requests = resources(0.5, 1, { pods: 1 });
    await world.ports.nodeClaims.save({ ...stored.claim, annotations, requests }, stored.version);
    world.now += 15 * SECOND_MS;
    // A decision with a defect: it ignores what nodes remember.
    await reconcileDisruption(world.ports, (input, id) => {
      const claims = input.snapshot.claims.map((claim) => ({ ...claim, annotations: {} }));
      return decideDisruption({ ...input, snapshot: { ...input.snapshot, claims } }, id);
    });

    expect(launched(world)).toBe(0);
    expect((await world.ports.commands.list()).records).toEqual([]);
    expect(world.events).toContainEqual({
      kind: 'move-back-prevented',
      at: world.now,
      claim: 'a',
      types: ['m7i.medium'],
    });
  });

  it('keeps two nodes if one of them got a pod', async () => {
    const world = await withNodes('abc', [aPodOn('a'), aPodOn('b'), aPodOn('c')]);
    const before = await afterwards(world, addPod({ ...aPodOn('a', 1.4), name: 'late' }));

    expect(before).toEqual([]);
  });

  it('keeps the node if the budget has closed', async () => {
    const world = await withReplacement();
    await afterwards(world, setBudget('0%'));

    expect(launched(world)).toBe(0);
    expect((await world.ports.commands.list()).records).toEqual([]);
  });

  it('replaces no node whose pods fit on existing nodes by now', async () => {
    const world = await withReplacement();
    await afterwards(world, async (one) => {
      await addRunning(one, 'new', {}, { allocatable: resources(2, 8, { pods: 29 }) });
    });

    expect(launched(world)).toBe(1);
    expect((await world.ports.commands.list()).records).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, number>>, number]>([
    ['replaces the node if more types would be chosen than before', { ...PRICES, 'm7i.xlarge': 0.2 }, 1],
    ['keeps the node if one of its types would not be chosen again', { ...PRICES, 'm7i.large': 0.9 }, 0],
  ])('%s', async (_, prices, replacements) => {
    const world = await withReplacement();
    await afterwards(world, (one) => {
      const { types, offerings } = market(prices);
      one.catalogue = { types: [...types, aTypeOf('m7i.xlarge', 4, 16)], offerings };
    });

    expect(launched(world)).toBe(replacements);
  });

  it('starts no command for a node that a user deletes meanwhile', async () => {
    const world = await withReplacement();
    await afterwards(world, async ({ ports, now }) => {
      const stored = await ports.nodeClaims.find('a');
      if (!stored) throw new Error('no claim');
      await ports.nodeClaims.save({ ...stored.claim, deletingAt: now }, stored.version);
    });

    expect(launched(world)).toBe(0);
    expect(world.events.map(({ kind }) => kind)).toEqual(['consolidation-dropped']);
  });
});
