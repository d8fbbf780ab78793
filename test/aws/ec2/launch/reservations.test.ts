import { describe, expect, it } from 'vitest';
import { findOnDemandUsd } from '../../../../shared/ec2/catalogue/on-demand-prices.ts';
import { LaunchFailedError } from '../../../../shared/model/errors.ts';
import { CAPACITY_TYPE_LABEL } from '../../../../shared/model/labels.ts';
import type { NodePlacementGroup, NodeReservation } from '../../../../shared/model/nodes/resolved-node-class.ts';
import { MINUTE_MS } from '../../../../shared/model/time.ts';
import { aNodeClaim, aNodePool, NOON, ZONES } from '../../../support/builders.ts';
import { launchOne } from '../../../support/launch-one.ts';
import { aReservation } from '../../../support/node-classes.ts';
import type { FakeEc2 } from '../../support/fake-ec2.ts';
import { aCloud, aSimpleClaim } from '../cloud.ts';

describe('capacity reservations', () => {
  const ONLY_RESERVED = { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['reserved'] } as const;
  const aReservedClaim = (name = 'general-1') =>
    aNodeClaim({
      name,
      instanceTypes: ['m7i.large', 'm7i.xlarge'],
      requirements: [ONLY_RESERVED],
    });
  const over = (...reservations: NodeReservation[]) => ({ resolved: { reservations } });
  const templateOf = (ec2: FakeEc2) => ec2.templates.at(-1)?.LaunchTemplateData;

  it('are offered at a nominal price, with their free instances', async () => {
    const { cloud } = aCloud(undefined, over(aReservation({ freeInstances: 3 })));

    const { offerings } = await cloud.catalogue([aNodePool(), aNodePool({ name: 'batch' })]);

    expect(offerings.filter(({ capacityType }) => capacityType === 'reserved')).toEqual([
      {
        instanceType: 'm7i.large',
        zone: ZONES[0],
        capacityType: 'reserved',
        hourlyUsd: (findOnDemandUsd('m7i.large') ?? 0) / 10_000_000,
        reservation: {
          id: 'cr-1',
          kind: 'default',
          isInterruptible: false,
          free: 3,
          nodeClass: 'default',
        },
      },
    ]);
  });

  it('are not offered without free instances, or shortly before their end', async () => {
    const ending = aReservation({
      id: 'cr-2',
      kind: 'capacity-block',
      endsAt: NOON + 39 * MINUTE_MS,
    });
    const { cloud } = aCloud(undefined, over(aReservation({ freeInstances: 0 }), ending));

    const { offerings } = await cloud.catalogue([aNodePool()]);

    expect(offerings.some(({ capacityType }) => capacityType === 'reserved')).toBe(false);
  });

  it('are requested by a template that names them, and the node reports them', async () => {
    const { ec2, cloud } = aCloud(undefined, over(aReservation()));

    const outcome = await launchOne(cloud, aReservedClaim());

    expect(templateOf(ec2)?.CapacityReservationSpecification).toEqual({
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: 'cr-1' },
    });
    expect(templateOf(ec2)?.InstanceMarketOptions).toBeUndefined();
    expect(ec2.fleets[0]).toMatchObject({
      TargetCapacitySpecification: { DefaultTargetCapacityType: 'on-demand' },
      OnDemandOptions: { AllocationStrategy: 'lowest-price' },
    });
    expect(outcome).toMatchObject({
      launch: {
        capacityType: 'reserved',
        labels: {
          'karpenter.sh/capacity-type': 'reserved',
          'karpenter.k8s.aws/capacity-reservation-id': 'cr-1',
          'karpenter.k8s.aws/capacity-reservation-type': 'default',
          'karpenter.k8s.aws/capacity-reservation-interruptible': 'false',
        },
      },
    });
  });

  it('are not used by nodes that were not planned for them', async () => {
    const { ec2, cloud } = aCloud();

    await launchOne(cloud, aSimpleClaim());

    expect(templateOf(ec2)?.CapacityReservationSpecification).toEqual({
      CapacityReservationPreference: 'none',
    });
  });

  it.each([
    [
      'interruptible-capacity-reservation',
      aReservation({ isInterruptible: true }),
      {
        TargetCapacitySpecification: { DefaultTargetCapacityType: 'reserved-capacity' },
        ReservedCapacityOptions: { ReservationTypes: ['interruptible-capacity-reservation'] },
      },
    ],
    [
      'capacity-block',
      aReservation({ kind: 'capacity-block' }),
      { TargetCapacitySpecification: { DefaultTargetCapacityType: 'capacity-block' } },
    ],
  ])('of market %s are requested from that market', async (market, reservation, fleet) => {
    const { ec2, cloud } = aCloud(undefined, over(reservation));

    await launchOne(cloud, aReservedClaim());

    expect(templateOf(ec2)?.InstanceMarketOptions).toEqual({ MarketType: market });
    expect(ec2.fleets[0]).toMatchObject(fleet);
    expect(ec2.fleets[0]?.OnDemandOptions).toBeUndefined();
    expect(ec2.fleets[0]?.SpotOptions).toBeUndefined();
  });

  it('at equal price are used in the order default, capacity block, interruptible', async () => {
    const { ec2, cloud } = aCloud(
      () => 'ReservationCapacityExceeded',
      over(
        aReservation({ id: 'cr-1', isInterruptible: true }),
        aReservation({ id: 'cr-2', kind: 'capacity-block' }),
        aReservation({ id: 'cr-3' }),
      ),
    );

    await launchOne(cloud, aReservedClaim());

    const ids = ec2.templates.map(
      ({ LaunchTemplateData: data }) =>
        data?.CapacityReservationSpecification?.CapacityReservationTarget?.CapacityReservationId,
    );
    expect(ids).toEqual(['cr-3', 'cr-2', 'cr-1']);
  });

  it('are skipped for a while if they are full, but not after throttling', async () => {
    let code = 'RequestLimitExceeded';
    const { ec2, cloud } = aCloud(() => code, over(aReservation({ freeInstances: 1 })));

    await expect(launchOne(cloud, aReservedClaim('a'))).rejects.toThrow(LaunchFailedError);
    code = 'ReservationCapacityExceeded';
    await launchOne(cloud, aReservedClaim('b'));
    await launchOne(cloud, aReservedClaim('c'));

    expect(ec2.fleets).toHaveLength(2);
  });

  it('have fewer free instances after each launch, before EC2 is queried again', async () => {
    const { ec2, cloud } = aCloud(undefined, over(aReservation({ freeInstances: 1 })));

    const first = await launchOne(cloud, aReservedClaim('a'));
    const second = await launchOne(cloud, aReservedClaim('b'));

    expect([first.outcome, second.outcome]).toEqual(['launched', 'unavailable']);
    expect(ec2.fleets).toHaveLength(1);
  });

  it('do not include an on-demand instance that runs in an open reservation', async () => {
    const { ec2, cloud } = aCloud();
    const launched = (id: string, preference: 'open' | 'capacity-reservations-only') =>
      ec2.add({
        InstanceId: id,
        State: { Name: 'running' },
        Placement: { AvailabilityZone: ZONES[0] },
        CapacityReservationId: 'cr-1',
        CapacityReservationSpecification: { CapacityReservationPreference: preference },
        Tags: [
          { Key: 'kubernetes.io/cluster/demo', Value: 'owned' },
          { Key: 'mortise.sh/launch', Value: id },
        ],
      });
    launched('i-1', 'open');
    launched('i-2', 'capacity-reservations-only');

    const instances = await cloud.instances();

    expect(instances.map(({ facts }) => facts?.capacityType)).toEqual(['on-demand', 'reserved']);
  });
});

describe('a placement group', () => {
  const over = (placementGroup: NodePlacementGroup) => ({ resolved: { placementGroup } });

  it('contains all nodes of its class, and the node reports it', async () => {
    const { ec2, cloud } = aCloud(undefined, over({ id: 'pg-1', name: 'a', strategy: 'cluster' }));

    const outcome = await launchOne(cloud, aSimpleClaim());

    expect(ec2.templates[0]?.LaunchTemplateData?.Placement).toEqual({
      Tenancy: 'default',
      GroupId: 'pg-1',
    });
    expect(outcome).toMatchObject({
      launch: { labels: { 'karpenter.k8s.aws/placement-group-id': 'pg-1' } },
    });
  });

  it('with partitions uses the first one that the claim allows', async () => {
    const group = { id: 'pg-1', name: 'a', strategy: 'partition', partitions: 3 } as const;
    const { ec2, cloud } = aCloud(undefined, over(group));
    const key = 'karpenter.k8s.aws/placement-group-partition';
    const requirements = [...aSimpleClaim().requirements, { key, operator: 'In' as const, values: ['3', '2'] }];

    await launchOne(cloud, aNodeClaim({ requirements, labels: { [key]: '2' } }));

    expect(ec2.templates[0]?.LaunchTemplateData?.Placement).toMatchObject({ PartitionNumber: 2 });
  });
});
