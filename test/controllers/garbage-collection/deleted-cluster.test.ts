import { describe, expect, it } from 'vitest';
import { reconcileDeletedCluster } from '../../../shared/controllers/garbage-collection/deleted-cluster.ts';
import { memoryClusterIdentities, memoryClusterSightings } from '../../../shared/memory/cluster-records.ts';
import { DEFAULT_DELETED_AFTER_MS } from '../../../shared/model/settings.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { ClusterLookup } from '../../../shared/ports/deleted-cluster.ts';
import { NOON } from '../../support/builders.ts';
import { memoryClusterRegistry } from '../../support/memory-cluster-registry.ts';
import { addRunning, aFakeWorld, type FakeWorld, providerIdOf } from '../support/fake-ports.ts';

const ARN = 'arn:aws:eks:eu-west-1:123456789012:cluster/demo';
const OWN = { certificateAuthority: 'aa' };
const FOUND: ClusterLookup = { outcome: 'found', identity: { ...OWN, arn: ARN } };
const OTHER: ClusterLookup = {
  outcome: 'found',
  identity: { certificateAuthority: 'bb', arn: ARN },
};
const MISSING: ClusterLookup = { outcome: 'not-found' };
const UNKNOWN: ClusterLookup = { outcome: 'unknown', why: 'AccessDeniedException' };

interface DeletionWorld {
  readonly world: FakeWorld;
  /** Collections of launch templates and instance profiles. */
  readonly collected: readonly string[];
  /** EKS gives this answer each minute for so long. */
  answers(lookup: ClusterLookup, forMs: number): Promise<void>;
}

/** Two instances run, and the API server does not answer. */
async function aDeletionWorld(identities = memoryClusterIdentities()): Promise<DeletionWorld> {
  const world = aFakeWorld();
  await addRunning(world, 'general-1');
  await addRunning(world, 'general-2');
  const registry = memoryClusterRegistry();
  const collected: string[] = [];
  const ports = {
    ...world.ports,
    registry,
    sightings: memoryClusterSightings(),
    identities,
    resources: {
      removeTemplates: async () => {
        collected.push('templates');
      },
      removeProfiles: async () => {
        collected.push('profiles');
      },
    },
  };
  const settings = { own: OWN, afterMs: DEFAULT_DELETED_AFTER_MS };
  return {
    world,
    collected,
    async answers(lookup, forMs) {
      registry.answer(lookup);
      for (const end = world.now + forMs; world.now < end; world.now += MINUTE_MS) {
        await reconcileDeletedCluster(ports, settings);
      }
    },
  };
}

describe('a cluster that EKS has had', () => {
  it('has its instances, launch templates and instance profiles ended after an hour without it', async () => {
    const { world, collected, answers } = await aDeletionWorld();
    await answers(FOUND, MINUTE_MS);
    await answers(MISSING, HOUR_MS);
    expect(world.instances.size).toBe(2);
    expect(collected).toEqual([]);

    await answers(MISSING, MINUTE_MS);

    expect(world.instances.size).toBe(0);
    expect(collected).toEqual(['templates', 'profiles']);
    expect(world.events).toEqual([
      {
        kind: 'cluster-deleted',
        at: NOON + HOUR_MS + MINUTE_MS,
        arn: ARN,
        since: NOON + MINUTE_MS,
        instances: 2,
      },
    ]);
  });

  it('has instances ended that were adopted from Karpenter and are in no list', async () => {
    const { world, answers } = await aDeletionWorld();
    const { cloud } = world.ports;
    cloud.instances = async () => [];
    await answers(FOUND, MINUTE_MS);
    await answers(MISSING, HOUR_MS + MINUTE_MS);

    expect(world.instances.has(providerIdOf('general-1'))).toBe(false);
  });

  it.each<[string, ClusterLookup]>([
    ['it is found', FOUND],
    ['EKS is denied or does not answer', UNKNOWN],
    ['another cluster has its name', OTHER],
  ])('keeps everything while %s, for however long', async (_, lookup) => {
    const { world, collected, answers } = await aDeletionWorld();
    await answers(FOUND, MINUTE_MS);
    await answers(lookup, 5 * HOUR_MS);

    expect(world.instances.size).toBe(2);
    expect([collected, world.events]).toEqual([[], []]);
  });

  it.each<[string, ClusterLookup]>([
    ['found again', FOUND],
    ['not answered for', UNKNOWN],
  ])('starts the hour again if it is %s once', async (_, lookup) => {
    const { world, answers } = await aDeletionWorld();
    await answers(FOUND, MINUTE_MS);
    await answers(MISSING, 59 * MINUTE_MS);
    await answers(lookup, MINUTE_MS);
    await answers(MISSING, 59 * MINUTE_MS);

    expect(world.instances.size).toBe(2);
  });

  it('starts the hour again after a break in which EKS was not asked', async () => {
    const { world, answers } = await aDeletionWorld();
    await answers(FOUND, MINUTE_MS);
    await answers(MISSING, MINUTE_MS);
    world.now += 5 * HOUR_MS;
    await answers(MISSING, MINUTE_MS);

    expect(world.instances.size).toBe(2);
  });
});

describe('a cluster that is not ours', () => {
  it.each<[string, readonly ClusterLookup[]]>([
    ['EKS has never had it', []],
    ['EKS has only had another cluster of its name', [OTHER]],
    ['another cluster of its name came last', [FOUND, OTHER]],
  ])('is never counted as deleted if %s', async (_, lookups) => {
    const { world, collected, answers } = await aDeletionWorld();
    for (const lookup of lookups) await answers(lookup, MINUTE_MS);
    await answers(MISSING, 3 * HOUR_MS);

    expect(world.instances.size).toBe(2);
    expect(collected).toEqual([]);
  });

  it.each([
    ['certificate authority', { certificateAuthority: 'cc' }],
    ['ARN', { ...OWN, arn: 'arn:aws:eks:eu-west-1:999999999999:cluster/demo' }],
  ])('is never counted as deleted if the table is of another %s', async (_, recorded) => {
    const identities = memoryClusterIdentities();
    await identities.remember(recorded);
    const { world, answers } = await aDeletionWorld(identities);
    await answers(FOUND, MINUTE_MS);
    await answers(MISSING, 3 * HOUR_MS);

    expect(world.instances.size).toBe(2);
  });
});
