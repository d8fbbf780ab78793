import { describe, expect, it } from 'vitest';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { Cloud } from '../../shared/ports/cloud.ts';
import { launchOne } from '../support/launch-one.ts';

export interface CloudUnderTest {
  readonly cloud: Cloud;
  readonly pool: NodePool;
  /** Returns instance types that the cloud can launch. */
  readonly claim: NodeClaim;
  /** Returns a request for which the cloud has no capacity. */
  readonly impossible: NodeClaim;
  /** Lets the cloud finish its pending work. */
  waitUntilVisible(): Promise<void>;
}

/**
 * The contract of every Cloud.
 *
 * @param create - a cloud without instances for each test
 */
export function cloudContract(adapter: string, create: () => Promise<CloudUnderTest>): void {
  describe(`Cloud: ${adapter}`, () => {
    it('offers each type of the pool in some zone, at a price', async () => {
      const { cloud, pool } = await create();

      const { instanceTypes, offerings } = await cloud.catalogue([pool]);

      const names = instanceTypes[pool.name]?.map(({ name }) => name) ?? [];
      expect(names.length).toBeGreaterThan(0);
      expect(new Set(offerings.map(({ instanceType }) => instanceType))).toEqual(new Set(names));
      expect(offerings.filter(({ hourlyUsd }) => !(hourlyUsd > 0))).toEqual([]);
    });

    it('launches one of the types of the claim, and finds it by the claim', async () => {
      const { cloud, claim } = await create();

      const outcome = await launchOne(cloud, claim);

      const launch = outcome.outcome === 'launched' ? outcome.launch : undefined;
      expect(claim.instanceTypes).toContain(launch?.instanceType);
      expect(launch?.providerId).toMatch(/^aws:\/\/\/[a-z0-9-]+\/i-[0-9a-f]{17}$/);
      expect((await cloud.instances()).map(({ claim: name }) => name)).toEqual([claim.name]);
      expect(await cloud.instance(launch?.providerId ?? '')).toMatchObject({ claim: claim.name });
    });

    it('finds several instances, without those that do not exist', async () => {
      const { cloud, claim } = await create();
      const outcome = await launchOne(cloud, claim);
      const providerId = outcome.outcome === 'launched' ? outcome.launch.providerId : '';

      const instances = await cloud.findInstances(['aws:///us-east-1a/i-00000000000000000', providerId]);

      expect(instances.map((instance) => instance.providerId)).toEqual([providerId]);
      expect(await cloud.findInstances([])).toEqual([]);
    });

    it('shows the names of an instance after they were written', async () => {
      const { cloud, claim } = await create();
      const outcome = await launchOne(cloud, claim);
      const providerId = outcome.outcome === 'launched' ? outcome.launch.providerId : '';

      await cloud.nameInstance(providerId, { claim: claim.name, name: 'node-1' });

      expect((await cloud.instance(providerId))?.name).toBeTypeOf('string');
      await cloud.nameInstance(providerId, { name: 'node-2' });
      expect((await cloud.instance(providerId))?.claim).toBe(claim.name);
      await expect(
        cloud.nameInstance('aws:///us-east-1a/i-00000000000000000', { claim: 'x', name: 'y' }),
      ).resolves.toBeUndefined();
    });

    it('launches nothing more if a launch is repeated', async () => {
      const { cloud, claim } = await create();

      const first = await launchOne(cloud, claim);
      const second = await launchOne(cloud, claim, { isRepeated: true });

      expect(second).toEqual({ ...first, unavailable: [] });
      expect(await cloud.instances()).toHaveLength(1);
    });

    it('launches several claims by one request, whose id their instances carry', async () => {
      const { cloud, claim } = await create();
      const claims = [1, 2, 3].map((n) => ({ ...claim, name: `general-${n}`, uid: `uid-${n}` }));
      const request = { id: 'p-1-0', attempt: 1, claims, isRepeated: false, existingInstances: [] };

      const { launches } = await cloud.launch(request);

      const ids = launches.map(({ providerId }) => providerId);
      expect(new Set(ids).size).toBe(3);
      const instances = await cloud.instances();
      expect(instances.map(({ providerId }) => providerId).toSorted()).toEqual(ids.toSorted());
      expect(new Set(instances.map(({ launchId }) => launchId))).toEqual(new Set(['p-1-0']));
    });

    it('finds the instances of a request whose answer was lost, and requests only the rest', async () => {
      const { cloud, claim } = await create();
      const claims = [1, 2, 3].map((n) => ({ ...claim, name: `general-${n}`, uid: `uid-${n}` }));
      const request = { id: 'p-1-0', attempt: 1, isRepeated: false, existingInstances: [] };
      const first = await cloud.launch({ ...request, claims: claims.slice(0, 2) });
      const existing = first.launches.slice(0, 1).map(({ providerId }) => providerId);

      const again = { ...request, attempt: 2, isRepeated: true, existingInstances: existing };
      const { launches } = await cloud.launch({ ...again, claims: claims.slice(1) });

      expect(launches[0]?.providerId).toBe(first.launches[1]?.providerId);
      expect(launches).toHaveLength(2);
      expect(await cloud.instances()).toHaveLength(3);
    });

    it('names the offerings without capacity if it cannot launch', async () => {
      const { cloud, impossible } = await create();

      const outcome = await launchOne(cloud, impossible);

      expect(outcome.outcome).toBe('unavailable');
      expect(outcome.unavailable.length).toBeGreaterThan(0);
      expect(await cloud.instances()).toEqual([]);
    });

    it('terminates an instance, and accepts a second request to terminate it', async () => {
      const { cloud, claim, waitUntilVisible } = await create();
      const outcome = await launchOne(cloud, claim);
      const providerId = outcome.outcome === 'launched' ? outcome.launch.providerId : '';

      await cloud.terminate(providerId);
      await cloud.terminate(providerId);

      expect((await cloud.instance(providerId))?.state ?? 'terminated').not.toBe('running');
      await waitUntilVisible();
      expect((await cloud.instance(providerId))?.state).toBe('terminated');
      expect(await cloud.instances()).toEqual([]);
      expect(await cloud.findInstances([providerId])).toEqual([]);
      await expect(cloud.terminate(providerId)).resolves.toBeUndefined();
    });
  });
}
