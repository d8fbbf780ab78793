import { describe, expect, it } from 'vitest';
import type { ClusterRegistry, ClusterSightings } from '../../shared/ports/deleted-cluster.ts';
import { NOON } from '../support/builders.ts';

interface Registered {
  readonly registry: ClusterRegistry;
  readonly arn: string;
  readonly certificateAuthority: string;
  /** The cluster is deleted. */
  readonly remove: () => void;
  /** Makes the following calls fail. */
  readonly fail: () => void;
}

/**
 * The contract of every ClusterRegistry.
 *
 * @param create - a registry that has the cluster
 */
export function clusterRegistryContract(adapter: string, create: () => Promise<Registered>): void {
  describe(`ClusterRegistry: ${adapter}`, () => {
    it('returns the identity of a cluster that exists', async () => {
      const { registry, arn, certificateAuthority } = await create();

      expect(await registry.find()).toEqual({
        outcome: 'found',
        identity: { arn, certificateAuthority },
      });
    });

    it('reports a deleted cluster', async () => {
      const { registry, remove } = await create();
      remove();

      expect(await registry.find()).toEqual({ outcome: 'not-found' });
    });

    it('never reports a cluster as deleted because a call failed', async () => {
      const { registry, fail } = await create();
      fail();

      expect(await registry.find()).toMatchObject({ outcome: 'unknown' });
    });
  });
}

/**
 * The contract of every ClusterSightings.
 *
 * @param create - an empty store for each test
 */
export function clusterSightingsContract(adapter: string, create: () => Promise<ClusterSightings>): void {
  describe(`ClusterSightings: ${adapter}`, () => {
    it('returns what was written last', async () => {
      const sightings = await create();
      expect(await sightings.read()).toBeUndefined();
      await sightings.write({ arn: 'arn:a', missing: { since: NOON, lastAt: NOON + 1 } });
      expect(await sightings.read()).toEqual({
        arn: 'arn:a',
        missing: { since: NOON, lastAt: NOON + 1 },
      });
      await sightings.write({ arn: 'arn:a' });

      expect(await sightings.read()).toEqual({ arn: 'arn:a' });
    });
  });
}
