import { describe, expect, it } from 'vitest';
import { findOnDemandUsd } from '../../../../shared/ec2/catalogue/on-demand-prices.ts';
import { LaunchFailedError } from '../../../../shared/model/errors.ts';
import { aNodeClaim, aNodePool, NOON, ZONES } from '../../../support/builders.ts';
import { launchOne } from '../../../support/launch-one.ts';
import { simCapacityUsage } from '../../support/capacity-usage.ts';
import { ec2Error } from '../../support/fake-ec2.ts';
import { aCloud, aSimpleClaim, ONLY_ON_DEMAND, ONLY_SPOT, ONLY_ZONE_A, simple } from '../cloud.ts';

describe('a launch', () => {
  it("reports type, zone, capacity type, price and labels of EC2's choice", async () => {
    const { cloud } = aCloud();

    const outcome = await launchOne(cloud, aSimpleClaim());

    expect(outcome).toMatchObject({
      outcome: 'launched',
      launch: {
        ...simple,
        providerId: 'aws:///us-east-1a/i-00000000000000001',
        hourlyUsd: findOnDemandUsd('m7i.large'),
        at: NOON,
        labels: {
          'node.kubernetes.io/instance-type': 'm7i.large',
          'topology.kubernetes.io/zone': 'us-east-1a',
          'topology.kubernetes.io/region': 'us-east-1',
          'karpenter.sh/capacity-type': 'on-demand',
          'kubernetes.io/arch': 'amd64',
        },
        capacity: { cpu: 2000 },
      },
      unavailable: [],
    });
  });

  it('does not read the inputs of the plan again, even for several launches of the plan', async () => {
    const traces: string[] = [];
    const { cloud } = aCloud(undefined, { traces });
    await cloud.catalogue([aNodePool(), aNodePool({ name: 'other' })]);
    const names = ['a', 'b', 'c'];

    await Promise.all(names.map((name) => launchOne(cloud, aNodeClaim({ name, uid: name }))));

    expect(traces.toSorted()).toEqual(['class', 'shortages', 'sizes']);
  });

  it('succeeds if its capacity usage cannot be recorded', async () => {
    const traces: string[] = [];
    const put = async (): Promise<never> => {
      throw new Error('DynamoDB is away');
    };
    const { cloud } = aCloud(undefined, { taken: { ...simCapacityUsage(), put }, traces });

    expect(await launchOne(cloud, aSimpleClaim())).toMatchObject({ outcome: 'launched' });
    expect(traces.filter((trace) => trace.includes('not counted'))).toHaveLength(2);
  });

  it('falls back to on-demand without spot capacity, and names the spot offerings', async () => {
    const { cloud } = aCloud((_, { TargetCapacitySpecification }) =>
      TargetCapacitySpecification?.DefaultTargetCapacityType === 'spot' ? 'InsufficientInstanceCapacity' : undefined,
    );

    const outcome = await launchOne(cloud, aNodeClaim({ requirements: [ONLY_ZONE_A] }));

    expect(outcome).toMatchObject({
      launch: { capacityType: 'on-demand' },
      unavailable: [{ ...simple, capacityType: 'spot' }],
    });
  });

  it('names the offerings that failed before it succeeded', async () => {
    const { cloud } = aCloud(({ AvailabilityZone }) =>
      AvailabilityZone === ZONES[0] ? 'InsufficientInstanceCapacity' : undefined,
    );

    const outcome = await launchOne(cloud, aNodeClaim({ requirements: [ONLY_ON_DEMAND] }));

    expect(outcome).toMatchObject({ launch: { zone: ZONES[1] }, unavailable: [simple] });
  });

  it.each([
    'InsufficientInstanceCapacity',
    'MaxSpotInstanceCountExceeded',
    'VcpuLimitExceeded',
    'UnfulfillableCapacity',
    'Unsupported',
    'MaxFleetCountExceeded',
    'ReservationCapacityExceeded',
  ])("treats EC2's error %s as insufficient capacity", async (code) => {
    const { cloud } = aCloud(() => code);

    const outcome = await launchOne(cloud, aSimpleClaim());

    expect(outcome).toEqual({ outcome: 'unavailable', unavailable: [simple] });
  });

  it('treats all spot offerings as unavailable without the service-linked role', async () => {
    const { cloud } = aCloud(() => 'AuthFailure.ServiceLinkedRoleCreationNotPermitted');

    const outcome = await launchOne(cloud, aNodeClaim({ requirements: [ONLY_SPOT] }));

    expect(outcome).toEqual({
      outcome: 'unavailable',
      unavailable: ZONES.map((zone) => ({ ...simple, zone, capacityType: 'spot' })),
    });
  });

  it('fails without further requests if spot lacks capacity and another error occurs', async () => {
    const { ec2, cloud } = aCloud(({ AvailabilityZone }) =>
      AvailabilityZone === ZONES[0] ? 'InsufficientInstanceCapacity' : 'InternalError',
    );

    await expect(launchOne(cloud, aNodeClaim())).rejects.toMatchObject({
      reason: 'InternalError',
      message: 'NodeClaim general-1 could not be launched: InternalError: as the test wants it',
    });
    expect(ec2.fleets).toHaveLength(1);
  });

  it.each([
    ['UnauthorizedOperation', 'Unauthorized'],
    ['InvalidLaunchTemplateId.NotFound', 'LaunchTemplateNotFound'],
    ['InvalidAMIID.NotFound', 'AMINotFound'],
    ['RequestLimitExceeded', 'RequestLimitExceeded'],
    ['SomethingNew', 'LaunchFailed'],
  ])("fails for EC2's error %s with the reason %s", async (code, reason) => {
    const { cloud } = aCloud(() => code);

    const launch = launchOne(cloud, aSimpleClaim());

    await expect(launch).rejects.toThrow(LaunchFailedError);
    await expect(launch).rejects.toMatchObject({ claim: 'general-1', reason });
  });

  it('fails with its cause if EC2 refuses the whole request', async () => {
    const refusal = ec2Error('UnauthorizedOperation', 'Not authorized for images: ami-1');
    const { cloud } = aCloud(() => {
      throw refusal;
    });

    const launch = launchOne(cloud, aSimpleClaim());

    await expect(launch).rejects.toMatchObject({
      reason: 'AMIAuthorizationFailure',
      message: 'NodeClaim general-1 could not be launched: UnauthorizedOperation: Not authorized for images: ami-1',
      cause: refusal,
    });
  });

  it('treats a request refused for the fleet quota as insufficient capacity', async () => {
    const { cloud } = aCloud(() => {
      throw ec2Error('MaxFleetCountExceeded');
    });

    const outcome = await launchOne(cloud, aSimpleClaim());

    expect(outcome).toEqual({ outcome: 'unavailable', unavailable: [simple] });
  });

  it('launches the remaining instances with another capacity type', async () => {
    const { ec2, cloud } = aCloud();
    ec2.limit('spot', 2);
    const claims = [1, 2, 3].map((n) => aNodeClaim({ name: `general-${n}` }));

    const answer = await cloud.launch({
      id: 'p-1-0',
      attempt: 1,
      claims,
      isRepeated: false,
      existingInstances: [],
    });

    expect(answer.launches.map(({ capacityType }) => capacityType)).toEqual(['spot', 'spot', 'on-demand']);
    const expected = ec2.fleets.map(({ TargetCapacitySpecification: target }) => target?.TotalTargetCapacity);
    expect(expected).toEqual([3, 1]);
  });

  it('keeps the launched instances if EC2 refuses the rest', async () => {
    const { ec2, cloud } = aCloud(({ AvailabilityZone }, { TargetCapacitySpecification: target }) => {
      const isSpot = target?.DefaultTargetCapacityType === 'spot';
      return !isSpot && AvailabilityZone ? 'UnauthorizedOperation' : undefined;
    });
    ec2.limit('spot', 1);
    const claims = [1, 2].map((n) => aNodeClaim({ name: `general-${n}` }));
    const request = { id: 'p-1-0', attempt: 1, claims, isRepeated: false, existingInstances: [] };

    const { launches, refusal } = await cloud.launch(request);

    expect(launches).toHaveLength(1);
    expect(refusal?.reason).toBe('Unauthorized');
  });
});
