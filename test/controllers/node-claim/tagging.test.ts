import { describe, expect, it } from 'vitest';
import { tagInstances } from '../../../shared/controllers/node-claim/tagging.ts';
import { StaleNodeClaimError } from '../../../shared/model/errors.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { Instance } from '../../../shared/ports/cloud.ts';
import { aLaunch, anInitializedClaim, NOON } from '../../support/builders.ts';
import { aFakeWorld, type FakeWorld, providerIdOf } from '../support/fake-ports.ts';

const aClaim = (name: string, over: Partial<NodeClaim> = {}): NodeClaim =>
  anInitializedClaim(`node-${name}`, {
    name,
    launch: aLaunch({ providerId: providerIdOf(name) }),
    ...over,
  });

/** Instances of a group launch, which were launched without names. */
function withInstances(names: readonly string[], over: Partial<Instance> = {}): FakeWorld {
  const world = aFakeWorld();
  for (const name of names) {
    const providerId = providerIdOf(name);
    world.instances.set(providerId, { providerId, claim: '', state: 'running', ...over });
  }
  return world;
}

/** Stores the claims that are new, and sweeps once. */
async function sweep(ports: FakeWorld['ports'], claims: readonly NodeClaim[], { instances }: FakeWorld): Promise<void> {
  for (const claim of claims) if (!(await ports.nodeClaims.find(claim.name))) await ports.nodeClaims.save(claim, 0);
  const { records } = await ports.nodeClaims.list();
  await tagInstances(ports, records, [...instances.values()]);
}

const name = async (world: FakeWorld, claims: readonly NodeClaim[]): Promise<readonly string[]> => {
  await sweep(world.ports, claims, world);
  return [...world.instances.values()].map((one) => `${one.claim} ${one.name ?? '-'}`);
};

describe('instances whose Node is known', () => {
  it('are tagged once with claim and Node', async () => {
    const world = withInstances(['a']);

    expect(await name(world, [aClaim('a')])).toEqual(['a node-a']);

    const named: unknown[] = [];
    const cloud = { ...world.ports.cloud, nameInstance: async () => void named.push(1) };
    await sweep({ ...world.ports, cloud }, [aClaim('a')], world);
    expect(named).toEqual([]);
  });

  it('are shown as tagged on their NodeClaim, which is written once', async () => {
    const world = withInstances(['a']);
    await name(world, [aClaim('a')]);

    const stored = await world.ports.nodeClaims.find('a');
    expect(stored).toMatchObject({ claim: { isTagged: true }, version: 2 });
    await name(world, [aClaim('a')]);
    expect(await world.ports.nodeClaims.find('a')).toEqual(stored);
  });

  it('stay tagged if another process changes the claim meanwhile', async () => {
    const world = withInstances(['a']);
    const save = async (): Promise<never> => {
      throw new StaleNodeClaimError('a');
    };
    await world.ports.nodeClaims.save(aClaim('a'), 0);
    const nodeClaims = { ...world.ports.nodeClaims, save };

    await sweep({ ...world.ports, nodeClaims }, [aClaim('a')], world);
    expect((await world.ports.nodeClaims.find('a'))?.claim.isTagged).toBeUndefined();

    await sweep(world.ports, [aClaim('a')], world);
    expect((await world.ports.nodeClaims.find('a'))?.claim.isTagged).toBe(true);
  });

  it('get only the tags that they lack', async () => {
    const world = withInstances(['a'], { claim: 'a' });
    const named: unknown[] = [];
    const cloud = {
      ...world.ports.cloud,
      nameInstance: async (...call: readonly unknown[]) => void named.push(call),
    };

    await sweep({ ...world.ports, cloud }, [aClaim('a')], world);

    expect(named).toEqual([[providerIdOf('a'), { name: 'node-a' }]]);
  });

  it('get the tag of the cluster again if it was removed', async () => {
    const world = withInstances(['a'], { claim: 'a', name: 'node-a', lacksClusterTag: true });

    await sweep(world.ports, [aClaim('a', { isTagged: true })], world);

    expect([...world.instances.values()]).toEqual([
      { providerId: providerIdOf('a'), claim: 'a', name: 'node-a', state: 'running' },
    ]);
  });

  it('keep a name that a user gave them', async () => {
    expect(await name(withInstances(['a'], { name: 'mine' }), [aClaim('a')])).toEqual(['a mine']);
  });

  it.each<[string, Partial<NodeClaim>]>([
    ['if their claim is being deleted', { deletingAt: NOON }],
    ['if they belong to another owner', { launch: aLaunch({ providerId: 'aws:///us-east-1a/i-other' }) }],
    ['if no claim has their provider id', { launch: aLaunch({ providerId: 'i-a' }) }],
  ])('are left alone %s', async (_, over) => {
    expect(await name(withInstances(['a']), [aClaim('a', over)])).toEqual([' -']);
  });

  it('are left alone while they have no Node', async () => {
    const { nodeName: _, ...claim } = aClaim('a');

    expect(await name(withInstances(['a']), [claim])).toEqual([' -']);
  });

  it('are tagged at most sixty per minute', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
    const world = withInstances(names);

    const named = await name(
      world,
      names.map((one) => aClaim(one)),
    );

    expect(named.filter((one) => one !== ' -')).toHaveLength(60);
  });
});
