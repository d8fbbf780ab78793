import { describe, expect, it } from 'vitest';
import { LaunchFailedError } from '../../../../shared/model/errors.ts';
import { aNodeClaim, aNodePool, ZONES } from '../../../support/builders.ts';
import { launchOne } from '../../../support/launch-one.ts';
import { aResolvedClass } from '../../../support/node-classes.ts';
import type { FakeEc2 } from '../../support/fake-ec2.ts';
import { aCloud, aSimpleClaim } from '../cloud.ts';

describe('subnets', () => {
  const inZoneA = (...freeAddresses: number[]) => ({
    subnets: freeAddresses.map((count, index) => ({
      id: `subnet-${index}`,
      zone: ZONES[0],
      freeAddresses: count,
    })),
  });
  const subnetsAsked = (ec2: FakeEc2) =>
    ec2.fleets.map(({ LaunchTemplateConfigs: [config] = [] }) => config?.Overrides?.[0]?.SubnetId);
  /** An m7i.large runs 29 pods, each of which may need an address. */
  const another = (name: string) => aNodeClaim({ ...aSimpleClaim(), name });

  it('are chosen by their free addresses', async () => {
    const { ec2, cloud } = aCloud(undefined, { resolved: inZoneA(10, 100) });

    await launchOne(cloud, aSimpleClaim());

    expect(subnetsAsked(ec2)).toEqual(['subnet-1']);
  });

  it('subtract the addresses of launches since EC2 was queried, including those of pods', async () => {
    const { ec2, cloud } = aCloud(undefined, { resolved: inZoneA(110, 111) });

    await launchOne(cloud, another('a'));
    await launchOne(cloud, another('b'));
    await launchOne(cloud, another('c'));

    expect(subnetsAsked(ec2)).toEqual(['subnet-1', 'subnet-0', 'subnet-1']);
  });

  it('without addresses are skipped for a while, and others are used', async () => {
    const { ec2, cloud } = aCloud(
      ({ SubnetId }) => (SubnetId === 'subnet-1' ? 'InsufficientFreeAddressesInSubnet' : undefined),
      { resolved: inZoneA(50, 200) },
    );

    const first = await launchOne(cloud, another('a'));
    const second = await launchOne(cloud, another('b'));

    // The offering itself stays available.
    expect(first).toEqual({ outcome: 'unavailable', unavailable: [] });
    expect(second.outcome).toBe('launched');
    expect(subnetsAsked(ec2)).toEqual(['subnet-1', 'subnet-0']);
  });

  it('get back the estimated addresses of a failed launch', async () => {
    let fails = true;
    const { ec2, cloud } = aCloud(() => (fails ? 'InternalError' : undefined), {
      resolved: inZoneA(110, 111),
    });

    await expect(launchOne(cloud, another('a'))).rejects.toThrow(LaunchFailedError);
    fails = false;
    await launchOne(cloud, another('b'));

    expect(subnetsAsked(ec2)).toEqual(['subnet-1', 'subnet-1']);
  });

  it('that are all full in a zone are reported per pool', async () => {
    const [a, b, c] = aResolvedClass().subnets;
    const subnets = [a, b, c].flatMap((one) =>
      one ? [{ ...one, freeAddresses: one.zone === ZONES[0] ? 0 : one.freeAddresses }] : [],
    );
    const { cloud } = aCloud(undefined, { resolved: { subnets } });

    const catalogue = await cloud.catalogue([aNodePool()]);

    expect(catalogue.fullZones).toEqual({ general: [ZONES[0]] });
    expect(catalogue.zones).toEqual({ general: [ZONES[1], ZONES[2]] });
  });

  it('that are all used up in a zone exclude it from plans and launches', async () => {
    const { ec2, cloud } = aCloud(undefined, { resolved: inZoneA(0, 0) });

    expect(await launchOne(cloud, aSimpleClaim())).toMatchObject({ outcome: 'unavailable' });
    expect((await cloud.catalogue([aNodePool()])).zones).toEqual({ general: [] });
    expect(ec2.fleets).toEqual([]);
  });
});
