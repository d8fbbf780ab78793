import { describe, expect, it } from 'vitest';
import { memoryUnavailableOfferings } from '../../../../shared/memory/capacity-records.ts';
import { CAPACITY_TYPE_LABEL, PARTITION_LABEL, ZONE_LABEL } from '../../../../shared/model/labels.ts';
import type { NodePlacementGroup } from '../../../../shared/model/nodes/resolved-node-class.ts';
import type { OfferingPart } from '../../../../shared/model/offerings/instance-type.ts';
import type { RequirementSpec } from '../../../../shared/model/requirements/requirement-specs.ts';
import { planProvisioning } from '../../../../shared/scheduling/plan-provisioning.ts';
import { aNodeClaim, aNodePool, aPod, aPodSpec, aSnapshot, NOON, ZONES } from '../../../support/builders.ts';
import { launchOne } from '../../../support/launch-one.ts';
import { ec2Error } from '../../support/fake-ec2.ts';
import { aCloud, aSimpleClaim, ONLY_ON_DEMAND, simple } from '../cloud.ts';

const over = (placementGroup: NodePlacementGroup) => ({ resolved: { placementGroup } });

describe('a partition placement group', () => {
  const group = { id: 'pg-1', name: 'racks', strategy: 'partition', partitions: 3 } as const;
  const inPartition = (operator: RequirementSpec['operator'], ...values: readonly string[]) =>
    aNodeClaim({
      requirements: [
        ...aSimpleClaim().requirements,
        { key: PARTITION_LABEL, operator, ...(values.length > 0 && { values }) },
      ],
    });

  it('turns the six offerings of a type in three zones into eighteen', async () => {
    const { cloud } = aCloud(undefined, over(group));
    const pool = aNodePool();
    const catalogue = await cloud.catalogue([pool]);
    const types = catalogue.instanceTypes[pool.name]?.filter(({ name }) => name === 'm5.large');
    const offerings = catalogue.offerings.filter((one) => one.instanceType === 'm5.large');
    expect(offerings).toHaveLength(6);

    const locations = offerings.flatMap(({ zone, capacityType }) =>
      ['1', '2', '3'].map((partition) => ({
        [ZONE_LABEL]: zone,
        [CAPACITY_TYPE_LABEL]: capacityType,
        [PARTITION_LABEL]: partition,
      })),
    );
    const pods = locations.map((nodeSelector, at) =>
      aPod({ name: `web-${at}`, uid: `web-${at}`, spec: aPodSpec({ nodeSelector }) }),
    );
    const { claims, unplaced } = planProvisioning(
      aSnapshot({ pools: [pool], pods, ...catalogue, instanceTypes: { general: types ?? [] } }),
      'd-1',
    );

    expect(unplaced).toEqual([]);
    expect(claims).toHaveLength(18);
  });

  it('has no fourth partition if it has three', async () => {
    const { cloud } = aCloud(undefined, over(group));
    const catalogue = await cloud.catalogue([aNodePool()]);
    const spec = aPodSpec({ nodeSelector: { [PARTITION_LABEL]: '4' } });

    const plan = planProvisioning(aSnapshot({ pools: [aNodePool()], pods: [aPod({ spec })], ...catalogue }), 'd-1');

    expect(plan.claims).toEqual([]);
  });

  it.each<[RequirementSpec['operator'], readonly string[], number]>([
    ['In', ['3', '2'], 2],
    ['NotIn', ['1'], 2],
    ['Gt', ['2'], 3],
  ])('places a node in the first partition that the claim allows: %s %j', async (operator, values, first) => {
    const { ec2, cloud } = aCloud(undefined, over(group));
    const claim = inPartition(operator, ...values);

    const outcome = await launchOne(cloud, claim);

    expect(ec2.templates[0]?.LaunchTemplateData?.Placement).toMatchObject({
      PartitionNumber: first,
    });
    expect(outcome).toMatchObject({ launch: { labels: { [PARTITION_LABEL]: `${first}` } } });
  });

  it.each([aSimpleClaim(), inPartition('Exists')])(
    'leaves the choice to EC2 if the claim does, with an empty label until it is known',
    async (claim) => {
      const { ec2, cloud } = aCloud(undefined, over(group));

      const outcome = await launchOne(cloud, claim);

      expect(ec2.templates[0]?.LaunchTemplateData?.Placement).not.toHaveProperty('PartitionNumber');
      expect(outcome).toMatchObject({ launch: { labels: { [PARTITION_LABEL]: '' } } });
    },
  );

  it('reports the partition that EC2 chose', async () => {
    const { ec2, cloud } = aCloud();
    ec2.add({
      InstanceId: 'i-0a',
      State: { Name: 'running' },
      Placement: { AvailabilityZone: ZONES[0], PartitionNumber: 2 },
    });

    expect(await cloud.instance('aws:///us-east-1a/i-0a')).toMatchObject({ partition: 2 });
  });
});

describe('a spread placement group', () => {
  const group = { id: 'pg-1', name: 'apart', strategy: 'spread' } as const;
  const FULL = 'You have reached the limit of instances in this spread placement group and Availability Zone';
  const types = ['m7i.large', 'm7i.xlarge'];
  const claim = aNodeClaim({ instanceTypes: types, requirements: [ONLY_ON_DEMAND] });
  const inZoneA = types.map((instanceType) => ({
    ...simple,
    instanceType,
    placementGroup: 'pg-1',
  }));
  const fullInA = () =>
    aCloud(
      ({ AvailabilityZone }) => (AvailabilityZone === ZONES[0] ? ['ResourceLimitExceeded', FULL] : undefined),
      over(group),
    );

  it('is full for every type in a zone with seven nodes, and the node starts in another zone', async () => {
    const { cloud } = fullInA();

    expect(await launchOne(cloud, claim)).toMatchObject({
      launch: { zone: ZONES[1] },
      unavailable: inZoneA,
    });
  });

  it('is full only for its own nodes', async () => {
    const marks = memoryUnavailableOfferings();
    const unavailable = await marks.mark(inZoneA, NOON);
    const zonesAsked = async (resolved: { placementGroup?: NodePlacementGroup }) => {
      const { ec2, cloud } = aCloud(() => 'InsufficientInstanceCapacity', {
        unavailable,
        resolved,
      });
      await launchOne(cloud, claim);
      const [fleet] = ec2.fleets;
      const overrides = fleet?.LaunchTemplateConfigs?.flatMap(({ Overrides = [] }) => Overrides);
      return [...new Set(overrides?.map(({ AvailabilityZone }) => AvailabilityZone))];
    };

    expect(await zonesAsked({ placementGroup: group })).toEqual(ZONES.slice(1));
    expect(await zonesAsked({ placementGroup: { ...group, id: 'pg-2' } })).toEqual(ZONES);
    expect(await zonesAsked({})).toEqual(ZONES);
  });

  it('excludes only that zone from plans', async () => {
    const plannedZones = async (placementGroup: NodePlacementGroup | undefined) => {
      const { cloud } = aCloud(undefined, placementGroup ? over(placementGroup) : {});
      const catalogue = await cloud.catalogue([aNodePool()]);
      const list = catalogue.instanceTypes.general?.filter(({ name }) => types.includes(name));
      const parts: readonly OfferingPart[] = inZoneA.map(({ capacityType: _, ...part }) => part);
      const unavailable = await memoryUnavailableOfferings().mark(parts, NOON);
      const spec = aPodSpec({ nodeSelector: { [ZONE_LABEL]: ZONES[0] } });
      const { claims } = planProvisioning(
        aSnapshot({
          pools: [aNodePool()],
          pods: [aPod({ spec })],
          ...catalogue,
          instanceTypes: { general: list ?? [] },
          unavailable,
        }),
        'd-1',
      );
      return claims.map(({ cheapest }) => cheapest.zone);
    };

    expect(await plannedZones(group)).toEqual([]);
    expect(await plannedZones({ ...group, id: 'pg-2' })).toEqual([ZONES[0]]);
    expect(await plannedZones(undefined)).toEqual([ZONES[0]]);
  });

  it('is full also if EC2 refuses the whole request', async () => {
    const { cloud } = aCloud(() => {
      throw ec2Error('ResourceLimitExceeded', FULL);
    }, over(group));

    expect(await launchOne(cloud, aSimpleClaim())).toEqual({
      outcome: 'unavailable',
      unavailable: [{ ...simple, placementGroup: 'pg-1' }],
    });
  });
});

describe('insufficient capacity in a placement group', () => {
  it('applies to the group alone, because there may be capacity outside', async () => {
    const group = { id: 'pg-1', name: 'near', strategy: 'cluster' } as const;
    const { cloud } = aCloud(() => 'InsufficientInstanceCapacity', over(group));

    expect(await launchOne(cloud, aSimpleClaim())).toEqual({
      outcome: 'unavailable',
      unavailable: [{ ...simple, placementGroup: 'pg-1' }],
    });
  });
});

describe('launch failures', () => {
  const subnets = ZONES.map((zone, at) => ({
    ...{ id: `subnet-${at}`, zone, zoneId: `use1-az${at + 1}`, freeAddresses: 100 },
  }));
  const failuresOf = async (...[refuse]: Parameters<typeof aCloud>) => {
    const { cloud } = aCloud(refuse, { resolved: { subnets } });
    const claims = [aNodeClaim({ requirements: [ONLY_ON_DEMAND] })];
    const request = { id: 'l-1', attempt: 1, claims, isRepeated: false, existingInstances: [] };
    return (await cloud.launch(request)).failures ?? [];
  };
  const inZoneA = { zone: ZONES[0], zoneId: 'use1-az1', capacityType: 'on-demand' };

  it('are reported per error with zone and reason, even if something was launched', async () => {
    const failures = await failuresOf(({ AvailabilityZone }) =>
      AvailabilityZone === ZONES[0] ? 'InsufficientInstanceCapacity' : undefined,
    );

    expect(failures).toEqual([{ ...inZoneA, reason: 'InsufficientInstanceCapacity' }]);
  });

  it.each([
    ['MaxFleetCountExceeded', 'FleetQuotaExceeded'],
    ['MaxSpotInstanceCountExceeded', 'SpotQuotaExceeded'],
    ['VcpuLimitExceeded', 'VCPULimitExceeded'],
    ['AuthFailure.ServiceLinkedRoleCreationNotPermitted', 'SpotSLRCreationFailed'],
    ['UnauthorizedOperation', 'Unauthorized'],
    ['SomethingNew', 'LaunchFailed'],
  ])('have a reason: %s is %s', async (code, reason) => {
    const [first] = await failuresOf(() => code);

    expect(first).toEqual({ ...inZoneA, reason });
  });

  it('have no zone if EC2 names none', async () => {
    const failures = await failuresOf(() => {
      throw ec2Error('SomethingNew', 'no');
    });

    expect(failures).toEqual([{ zone: '', zoneId: '', capacityType: 'on-demand', reason: 'LaunchFailed' }]);
  });
});
