import { describe, expect, it } from 'vitest';
import type { NodeClaim } from '../../shared/model/node-claim.ts';
import type { NodePool } from '../../shared/model/node-pool.ts';
import type { Cloud } from '../../shared/ports/cloud.ts';

export interface CloudUnderTest {
  readonly cloud: Cloud;
  readonly pool: NodePool;
  /** Names instance types that can be had. */
  readonly claim: NodeClaim;
  /** Asks for what the cloud has none of. */
  readonly impossible: NodeClaim;
  /** Lets the cloud do what it was asked to. */
  settle(): Promise<void>;
}

/** What every cloud keeps. @param create - one without instances for each test */
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

    it('launches one of the types that the claim names, and knows it by the claim', async () => {
      const { cloud, claim } = await create();

      const outcome = await cloud.launch(claim);

      const launch = outcome.outcome === 'launched' ? outcome.launch : undefined;
      expect(claim.instanceTypes).toContain(launch?.instanceType);
      expect(launch?.providerId).toMatch(/^aws:\/\/\/[a-z0-9-]+\/i-[0-9a-f]{17}$/);
      expect((await cloud.instances()).map(({ claim: name }) => name)).toEqual([claim.name]);
      expect(await cloud.instance(launch?.providerId ?? '')).toMatchObject({ claim: claim.name });
    });

    it('launches nothing more when a launch is repeated', async () => {
      const { cloud, claim } = await create();

      const first = await cloud.launch(claim);
      const second = await cloud.launch(claim);

      expect(second).toEqual({ ...first, unavailable: [] });
      expect(await cloud.instances()).toHaveLength(1);
    });

    it('names what it has none of when it cannot launch', async () => {
      const { cloud, impossible } = await create();

      const outcome = await cloud.launch(impossible);

      expect(outcome.outcome).toBe('unavailable');
      expect(outcome.unavailable.length).toBeGreaterThan(0);
      expect(await cloud.instances()).toEqual([]);
    });

    it('ends an instance, and takes a second order to end it without complaint', async () => {
      const { cloud, claim, settle } = await create();
      const outcome = await cloud.launch(claim);
      const providerId = outcome.outcome === 'launched' ? outcome.launch.providerId : '';

      await cloud.terminate(providerId);
      await cloud.terminate(providerId);

      expect((await cloud.instance(providerId))?.state ?? 'terminated').not.toBe('running');
      await settle();
      expect(await cloud.instance(providerId)).toBeUndefined();
      expect(await cloud.instances()).toEqual([]);
      await expect(cloud.terminate(providerId)).resolves.toBeUndefined();
    });
  });
}
