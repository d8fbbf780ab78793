import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aLaunch, aPodSpec, aTypeOf, NOON, offeringsOf, resources, ZONES } from '../../support/builders.ts';
import { addRunning, aFakeWorld, claimOf, type FakeWorld, providerIdOf, takeHints } from '../support/fake-ports.ts';
import { allGoes, aSmallPod, deletedClaims, reconcile, replacedBy, tainted, withNodes } from './disruption-world.ts';

describe('a proposal', () => {
  it('changes nothing for 15 s', async () => {
    const world = await withNodes('ab', [aSmallPod('a')]);
    await reconcile(world);

    expect((await world.ports.commands.list()).records).toMatchObject([
      { reason: 'Empty', candidates: ['b'], decidedAt: world.now },
    ]);
    expect(tainted(world)).toEqual([]);
    expect(await deletedClaims(world)).toEqual([]);
    expect(takeHints(world)).toEqual([{ hint: { topic: 'disrupt' }, at: world.now + 15 * SECOND_MS }]);
  });

  it('is carried out if it still holds', async () => {
    const world = await withNodes('ab', [aSmallPod('a')]);
    await reconcile(world);
    world.now += 15 * SECOND_MS;
    await reconcile(world);

    expect(tainted(world)).toEqual(['b']);
    expect(await claimOf(world, 'b')).toMatchObject({ deletingAt: world.now, removal: 'Empty' });
    expect((await world.ports.commands.list()).records).toEqual([]);
    expect(world.events).toEqual([{ kind: 'remove-empty', at: world.now, claims: ['b'], savingHourlyUsd: 0.1008 }]);
  });

  it('is dropped if a pod arrived in the meantime', async () => {
    const world = await withNodes('ab', [aSmallPod('a', { name: 'big', spec: aPodSpec() })]);
    await reconcile(world);
    world.now += 15 * SECOND_MS;
    const big = aSmallPod('b', { name: 'big-2', spec: aPodSpec({ requests: resources(1.5, 1) }) });
    world.objects = { ...world.objects, pods: [...world.objects.pods, big] };
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual([]);
    expect(tainted(world)).toEqual([]);
    expect((await world.ports.commands.list()).records).toEqual([]);
  });

  it('for several empty nodes removes those that are still empty', async () => {
    const world = await withNodes('abc', [aSmallPod('a')]);
    await reconcile(world);
    world.now += 15 * SECOND_MS;
    world.objects = { ...world.objects, pods: [...world.objects.pods, aSmallPod('c')] };
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual(['b']);
    expect(world.events).toMatchObject([{ claims: ['b'], savingHourlyUsd: 0.1008 }]);
  });

  it('that moves pods has to be planned twice', async () => {
    const world = await withNodes('ab', [aSmallPod('a'), aSmallPod('b')]);
    await reconcile(world);
    const [proposal] = (await world.ports.commands.list()).records;
    expect(proposal).toMatchObject({ reason: 'Underutilized', candidates: ['a'] });

    world.now += 15 * SECOND_MS;
    await reconcile(world);
    expect(world.events).toMatchObject([{ kind: 'remove', claims: ['a'], pods: 1 }]);
    expect(Object.keys(await world.ports.nominations.list(world.now))).toContain('b');
  });

  it('is dropped while its node is nominated for planned pods', async () => {
    const world = await withNodes('ab', [aSmallPod('a')]);
    await reconcile(world);
    world.now += 15 * SECOND_MS;
    await world.ports.nominations.nominate(['b'], world.now + 1);
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual([]);
  });

  it('is dropped if it is validated too late', async () => {
    const world = await withNodes('ab', [aSmallPod('a')]);
    await reconcile(world);
    world.now += 5 * MINUTE_MS;
    await reconcile(world);

    expect(await deletedClaims(world)).toEqual([]);
    expect((await world.ports.commands.list()).records).toEqual([]);
  });

  it('starts one command if it is validated twice', async () => {
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
    expect((await world.ports.commands.list()).records).toMatchObject([
      { candidates: ['a'], replacements: [{ cheapest: { instanceType: 'm7i.large' } }] },
    ]);
    await reconcile(world);

    expect(world.instances.size).toBe(2);
    expect(tainted(world)).toEqual(['a']);
    expect(await deletedClaims(world)).toEqual([]);
    expect(world.events).toMatchObject([
      { kind: 'replace', claims: ['a'], from: 'on-demand, $0.806', savingHourlyUsd: 0.7056 },
      { kind: 'launch', pods: [], replaces: ['a'] },
      { kind: 'replacement-requested', replaces: ['a'], reason: 'Underutilized' },
    ]);
  });

  it('is dropped if its replacement would not be chosen again', async () => {
    const world = await withProposal();
    world.catalogue = { types: [large, small], offerings: offer(0.9) };
    await reconcile(world);

    expect(world.instances.size).toBe(1);
    expect((await world.ports.commands.list()).records).toEqual([]);
  });

  it('is dropped if its pods have other requirements now', async () => {
    const world = await withProposal();
    const grown = aSmallPod('a', { name: 'grown', spec: aPodSpec({ requests: resources(10, 8) }) });
    world.objects = { ...world.objects, pods: [...world.objects.pods, grown] };
    await reconcile(world);

    expect(world.instances.size).toBe(1);
  });

  it('does not start on a node that another command has', async () => {
    const world = await withProposal();
    await world.ports.commands.add({ ...replacedBy('other'), validatedAt: world.now });
    await reconcile(world);

    expect(world.events).toMatchObject([
      { kind: 'launch', claim: 'other', replaces: ['a'] },
      { kind: 'consolidation-dropped', at: world.now, claims: ['a'] },
    ]);
    expect((await world.ports.commands.list()).records).toMatchObject([{ id: 'd-1' }]);
  });
});
