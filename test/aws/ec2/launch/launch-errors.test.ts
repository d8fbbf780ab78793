import { DescribeInstancesCommand, EC2Client, type Instance } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { createCatalogueReader } from '../../../../shared/aws/ec2/catalogue/ec2-catalogue.ts';
import { ec2Instances } from '../../../../shared/aws/ec2/instances/ec2-instances.ts';
import { listFleetChoices } from '../../../../shared/aws/ec2/launch/fleet-choices.ts';
import { bundledPriceList } from '../../../../shared/aws/ec2/prices/price-list.ts';
import { PRICE_OVERLAY_ANNOTATION } from '../../../../shared/model/labels.ts';
import type { NodeClaim } from '../../../../shared/model/nodes/node-claim.ts';
import type { Offering, OfferingReservation } from '../../../../shared/model/offerings/instance-type.ts';
import type { RequirementSpec } from '../../../../shared/model/requirements/requirement-specs.ts';
import { DEFAULT_SETTINGS } from '../../../../shared/model/settings.ts';
import { planProvisioning } from '../../../../shared/scheduling/plan-provisioning.ts';
import {
  aNodeClaim,
  aNodeClass,
  aNodePool,
  aPod,
  aPodSpec,
  aSnapshot,
  NOON,
  ZONES,
} from '../../../support/builders.ts';
import { launchOne } from '../../../support/launch-one.ts';
import { anImage, aResolvedClass, aWrittenClass } from '../../../support/node-classes.ts';
import { aCloud, aSimpleClaim, ONLY_ON_DEMAND, ONLY_ZONE_A } from '../cloud.ts';

const [A, B] = ZONES;

describe('the order of launch requests', () => {
  type Kind = 'default' | 'capacity-block' | 'interruptible';
  const reserved = (
    name: string,
    kind: Kind,
    hourlyUsd: number,
    over: Partial<OfferingReservation> & { readonly zone?: string } = {},
  ): Offering => {
    const { zone = A, ...more } = over;
    return {
      instanceType: name,
      zone,
      capacityType: 'reserved',
      hourlyUsd,
      reservation: {
        id: `cr-${name}-${kind}-${hourlyUsd}`,
        kind: kind === 'interruptible' ? 'default' : kind,
        isInterruptible: kind === 'interruptible',
        free: 1,
        ...more,
      },
    };
  };
  const onDemand = (name: string): Offering => ({
    ...{ instanceType: name, zone: A, capacityType: 'on-demand', hourlyUsd: 3 },
  });
  /** Formats one request per entry, in their order. */
  const requested = (offerings: readonly Offering[]) =>
    listFleetChoices(offerings, []).map((choice) =>
      choice.offerings.map(({ instanceType, zone }) => `${instanceType} ${zone}`),
    );
  const reservationsAsked = (offerings: readonly Offering[]) =>
    listFleetChoices(offerings, []).map(({ reservation }) => reservation?.id);

  it('leaves out a reservation that EC2 has interrupted, and no other offering of its type', () => {
    const offerings = [
      reserved('a', 'default', 1, { id: 'cr-1' }),
      reserved('a', 'default', 1, { id: 'cr-2' }),
      onDemand('a'),
    ];
    const part = { instanceType: 'a', zone: A, capacityType: 'reserved', reservationId: 'cr-1', until: 0 } as const;

    expect(listFleetChoices(offerings, [part]).map(({ reservation }) => reservation?.id)).toEqual(['cr-2', undefined]);
  });

  it('begins with the cheapest reservation, of any kind', () => {
    const [cheapest] = reservationsAsked([
      reserved('a', 'default', 10),
      reserved('b', 'interruptible', 10),
      reserved('c', 'capacity-block', 10),
      reserved('d', 'capacity-block', 5),
    ]);

    expect(cheapest).toBe('cr-d-capacity-block-5');
  });

  it('has one request per capacity block, the cheaper first', () => {
    expect(requested([reserved('a', 'capacity-block', 2), reserved('b', 'capacity-block', 1)])).toEqual([
      [`b ${A}`],
      [`a ${A}`],
    ]);
  });

  it('prefers the reservation with the most free instances, and reservations to all else', () => {
    expect(
      reservationsAsked([
        onDemand('a'),
        reserved('a', 'default', 1, { id: 'cr-5', free: 5, zone: B }),
        reserved('a', 'default', 1, { id: 'cr-6', free: 6, zone: B }),
      ]),
    ).toEqual(['cr-6', 'cr-5', undefined]);
  });

  it('continues with unreserved offerings if no reservation is available', () => {
    expect(requested([onDemand('a'), onDemand('b')])).toEqual([[`a ${A}`, `b ${A}`]]);
  });
});

describe('special hardware', () => {
  const METAL = 'm5.metal';
  const GPU = 'g4dn.xlarge';
  const typesAsked = async (over: Partial<NodeClaim>) => {
    const { ec2, cloud } = aCloud(() => 'InsufficientInstanceCapacity');
    const { requirements = [], ...rest } = over;
    const own = [ONLY_ON_DEMAND, ONLY_ZONE_A];
    await launchOne(cloud, aNodeClaim({ ...rest, requirements: [...own, ...requirements] }));
    const configs = ec2.fleets[0]?.LaunchTemplateConfigs ?? [];
    return configs.flatMap(({ Overrides = [] }) => Overrides.map((one) => `${one.InstanceType}`));
  };
  const counting: RequirementSpec = { key: 'team', operator: 'Exists', minValues: 2 };

  it.each([METAL, GPU])('is dropped if other types remain: %s', async (name) => {
    expect(await typesAsked({ instanceTypes: ['m5.large', name] })).toEqual(['m5.large']);
    expect(await typesAsked({ instanceTypes: [name] })).toEqual([name]);
  });

  it.each([METAL, GPU])('stays if the claim counts types: %s', async (name) => {
    const claim = { instanceTypes: ['m5.large', name], requirements: [counting] };
    expect((await typesAsked(claim)).toSorted()).toEqual(['m5.large', name].toSorted());
  });

  it('stays if the plan lists it first', async () => {
    expect(await typesAsked({ instanceTypes: [GPU, 'm5.large'] })).toHaveLength(2);
  });
});

describe('a claim with minValues above the available values', () => {
  const pool = aNodePool({
    requirements: [
      {
        key: 'karpenter.k8s.aws/instance-family',
        operator: 'In',
        values: ['m5', 'm6i', 'm7i'],
        minValues: 50,
      },
    ],
  });
  async function plan(minValuesPolicy: 'Strict' | 'BestEffort') {
    const { cloud } = aCloud();
    const settings = { ...DEFAULT_SETTINGS, minValuesPolicy };
    const catalogue = await cloud.catalogue([pool]);
    return planProvisioning(aSnapshot({ pools: [pool], pods: [aPod()], settings, ...catalogue }), 'd-1');
  }

  it('is not launched, and the reason states the counts', async () => {
    const { claims, unplaced } = await plan('Strict');

    expect(claims).toEqual([]);
    const reasons = unplaced.flatMap(({ pools }) => pools.flatMap((one) => one.reasons));
    expect(reasons).toMatchObject([{ code: 'min-values-unmet', fields: { wanted: '50', found: '3' } }]);
  });

  it('is launched if the policy is best effort', async () => {
    expect((await plan('BestEffort')).claims).toHaveLength(1);
  });
});

describe('a launched claim', () => {
  const EFA = 'vpc.amazonaws.com/efa';
  const FABRIC = 'c6in.32xlarge';
  const efaOf = async (
    requests: Readonly<Record<string, number>>,
    interfaces?: readonly ('interface' | 'efa-only')[],
  ) => {
    const networkInterfaces = interfaces?.map((interfaceType, deviceIndex) => ({
      ...{ networkCardIndex: 0, deviceIndex, interfaceType },
    }));
    const { cloud } = aCloud(undefined, {
      resolved: { written: aWrittenClass(networkInterfaces ? { networkInterfaces } : {}) },
    });
    const claim = { ...aSimpleClaim(), instanceTypes: [FABRIC], requests };
    const outcome = await launchOne(cloud, claim);
    return outcome.outcome === 'launched' ? outcome.launch.capacity[EFA] : 'not launched';
  };

  it('has EFA only if pods request it or the class lists interfaces for it', async () => {
    expect(await efaOf({ [EFA]: 1 })).toBe(2);
    expect(await efaOf({})).toBeUndefined();
    expect(await efaOf({}, ['interface', 'efa-only'])).toBe(1);
    expect(await efaOf({}, ['interface'])).toBeUndefined();
  });

  const TENANCY = 'karpenter.k8s.aws/instance-tenancy';
  it.each<[readonly string[] | undefined, string]>([
    [undefined, 'default'],
    [['dedicated', 'default'], 'default'],
    [['dedicated'], 'dedicated'],
  ])('has the tenancy on template and label: %j gives %s', async (values, tenancy) => {
    const { ec2, cloud } = aCloud();
    const expected = values ? [{ key: TENANCY, operator: 'In' as const, values }] : [];
    const requirements = [ONLY_ON_DEMAND, ONLY_ZONE_A, ...expected];

    const outcome = await launchOne(cloud, aNodeClaim({ requirements }));

    expect(ec2.templates[0]?.LaunchTemplateData?.Placement?.Tenancy).toBe(tenancy);
    expect(outcome).toMatchObject({ launch: { labels: { [TENANCY]: tenancy } } });
  });

  it('records image, zone, hash of the class and instance profile', async () => {
    const subnets = [{ id: 'subnet-a', zone: A, zoneId: 'use1-az1', freeAddresses: 100 }];
    const { cloud } = aCloud(undefined, { resolved: { subnets, instanceProfile: 'demo-nodes' } });

    const outcome = await launchOne(cloud, aSimpleClaim());

    expect(outcome.outcome === 'launched' && outcome.launch.nodeClassHash).toMatch(/^[0-9a-f]{16}$/);
    expect(outcome).toMatchObject({
      launch: {
        providerId: 'aws:///us-east-1a/i-00000000000000001',
        imageId: 'ami-amd64',
        instanceProfile: 'demo-nodes',
        nodeClassHashVersion: 's1',
        labels: { 'topology.k8s.aws/zone-id': 'use1-az1' },
      },
    });
  });
});

describe('a claim for a type without a price', () => {
  const UNPRICED = 't8i.small';
  const launchedAs = async (annotations: Readonly<Record<string, string>>) => {
    const { cloud } = aCloud();
    const requirements = [ONLY_ON_DEMAND, ONLY_ZONE_A];
    const claim = aNodeClaim({ instanceTypes: [UNPRICED], requirements, annotations });
    return launchOne(cloud, claim);
  };

  it('is launched only if it was planned with an overlay price', async () => {
    expect(await launchedAs({ [PRICE_OVERLAY_ANNOTATION]: 'true' })).toMatchObject({
      launch: { instanceType: UNPRICED, zone: A, hourlyUsd: 0 },
    });
    expect(await launchedAs({})).toMatchObject({ outcome: 'unavailable' });
  });
});

describe('the list of instances', () => {
  const tags = { 'eks:eks-cluster-name': 'demo', 'mortise.sh/launch': 'l-1' };
  const instance = (index: number, state = 'running'): Instance => ({
    InstanceId: `i-${index}`,
    State: { Name: state === 'terminated' ? 'terminated' : 'running' },
    Placement: { AvailabilityZone: A },
    Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
  });
  const page = (from: number, count: number) => [
    { Instances: Array.from({ length: count }, (_, at) => instance(from + at)) },
  ];

  it("contains every page of EC2's answer without terminated instances, read afresh", async () => {
    const client = new EC2Client({ region: 'us-east-1' });
    const ec2 = mockClient(client).on(DescribeInstancesCommand);
    const instances = ec2Instances(client, 'demo');
    ec2.callsFake(({ NextToken }) =>
      NextToken ? { Reservations: page(11, 10) } : { Reservations: page(1, 10), NextToken: 'the second page' },
    );
    expect(await instances.list()).toHaveLength(20);

    ec2.callsFake(() => ({
      Reservations: [{ Instances: [instance(1), instance(2, 'terminated')] }],
    }));
    expect((await instances.list()).map(({ providerId }) => providerId)).toEqual([`aws:///${A}/i-1`]);
  });
});

describe('a pool whose class has no subnets', () => {
  it('leaves its pods to another pool', async () => {
    const resolved = aResolvedClass({ images: [anImage()] });
    const read = createCatalogueReader(async (name) =>
      name === 'default' ? { resolved, nodeClass: aNodeClass() } : undefined,
    );
    const nodeClass = { ...aNodePool().nodeClass, name: 'nowhere' };
    const pools = [aNodePool({ name: 'a', weight: 10, nodeClass }), aNodePool({ name: 'b' })];
    const catalogue = await read(pools, bundledPriceList(ZONES), [], NOON);
    const pods = [aPod({ spec: aPodSpec() })];

    const { claims } = planProvisioning(aSnapshot({ pools, pods, ...catalogue }), 'd-1');

    expect(claims.map(({ claim }) => claim.pool)).toEqual(['b']);
  });
});
