import { describe, expect, it } from 'vitest';
import { CAPACITY_TYPE_LABEL } from '../../../../shared/model/labels.ts';
import { aNodeClaim, aNodePool, NOON, ZONES } from '../../../support/builders.ts';
import { launchOne } from '../../../support/launch-one.ts';
import { aWrittenClass } from '../../../support/node-classes.ts';
import { aCloud, aSimpleClaim, ONLY_SPOT, ONLY_ZONE_A } from '../cloud.ts';

describe('the CreateFleet request', () => {
  it('contains template, types, subnets and tags of its claim', async () => {
    const { ec2, cloud } = aCloud();

    await launchOne(cloud, aSimpleClaim());

    const ClientToken = ec2.fleets[0]?.ClientToken ?? '';
    expect(ClientToken).toMatch(/^[0-9a-f]{32}-1-on-demand$/);
    const Tags = [
      { Key: 'kubernetes.io/cluster/demo', Value: 'owned' },
      { Key: 'eks:eks-cluster-name', Value: 'demo' },
      { Key: 'karpenter.sh/nodepool', Value: 'general' },
      { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' },
      { Key: 'karpenter.sh/nodeclaim', Value: 'general-1' },
      { Key: 'mortise.sh/launch', Value: 'general-1/claim-general-1' },
    ];
    expect(ec2.fleets).toEqual([
      {
        Type: 'instant',
        ClientToken,
        LaunchTemplateConfigs: [
          {
            LaunchTemplateSpecification: {
              LaunchTemplateName: ec2.templates[0]?.LaunchTemplateName,
              Version: '$Latest',
            },
            Overrides: [{ InstanceType: 'm7i.large', SubnetId: 'subnet-a', AvailabilityZone: ZONES[0] }],
          },
        ],
        TargetCapacitySpecification: {
          TotalTargetCapacity: 1,
          DefaultTargetCapacityType: 'on-demand',
        },
        OnDemandOptions: { AllocationStrategy: 'lowest-price' },
        TagSpecifications: [
          { ResourceType: 'instance', Tags },
          { ResourceType: 'volume', Tags },
          { ResourceType: 'fleet', Tags },
        ],
      },
    ]);
  });

  it('has one token per claim, capacity type and attempt', async () => {
    const { ec2, cloud } = aCloud(() => 'InsufficientInstanceCapacity');

    await launchOne(cloud, aNodeClaim());
    await launchOne(cloud, aNodeClaim());
    await launchOne(cloud, aNodeClaim({ uid: 'another life' }));

    const tokens = ec2.fleets.map(({ ClientToken }) => ClientToken);
    expect(tokens.slice(0, 2)).toEqual(tokens.slice(2, 4));
    expect(new Set(tokens).size).toBe(4);
  });

  it('requests spot by price and capacity, in every zone with a subnet', async () => {
    const { ec2, cloud } = aCloud();

    await launchOne(cloud, aNodeClaim({ requirements: [ONLY_SPOT] }));

    expect(ec2.fleets).toMatchObject([
      {
        SpotOptions: { AllocationStrategy: 'price-capacity-optimized' },
        LaunchTemplateConfigs: [
          {
            Overrides: [
              { SubnetId: 'subnet-a', AvailabilityZone: 'us-east-1a' },
              { SubnetId: 'subnet-b', AvailabilityZone: 'us-east-1b' },
              { SubnetId: 'subnet-c', AvailabilityZone: 'us-east-1c' },
            ],
          },
        ],
      },
    ]);
  });

  it('leaves out offerings that were lately unavailable', async () => {
    const unavailable = [
      { instanceType: 'm7i.large', until: NOON + 1 },
      { zone: ZONES[1], capacityType: 'spot' as const, until: NOON + 1 },
    ];
    const { ec2, cloud } = aCloud(undefined, { unavailable });

    await launchOne(cloud, aNodeClaim({ instanceTypes: ['m7i.large', 'm7i.xlarge'] }));

    const [fleet] = ec2.fleets;
    expect(fleet?.LaunchTemplateConfigs?.[0]?.Overrides).toMatchObject([
      { InstanceType: 'm7i.xlarge', AvailabilityZone: ZONES[0] },
      { InstanceType: 'm7i.xlarge', AvailabilityZone: ZONES[2] },
    ]);
  });

  it('is not sent if no offering remains', async () => {
    const { ec2, cloud } = aCloud(undefined, { unavailable: [{ until: NOON + 1 }] });

    const outcome = await launchOne(cloud, aNodeClaim());

    expect(outcome).toEqual({ outcome: 'unavailable', unavailable: [] });
    expect(ec2.fleets).toEqual([]);
  });

  it('is not sent, and no template is created, for a class without instance profile', async () => {
    const no = { status: 'False', reason: 'InstanceProfileNotFound', message: '' } as const;
    const conditions = [
      { type: 'InstanceProfileReady', ...no },
      { type: 'Ready', ...no },
    ] as const;
    const { ec2, cloud } = aCloud(undefined, { resolved: { conditions } });

    expect(await launchOne(cloud, aSimpleClaim())).toEqual({
      outcome: 'unavailable',
      unavailable: [],
    });
    expect(ec2.fleets).toEqual([]);
    expect(ec2.templates).toEqual([]);
    expect((await cloud.catalogue([aNodePool()])).instanceTypes).toEqual({ general: [] });
  });

  it('is not sent for a claim whose NodeClass is gone', async () => {
    const { ec2, cloud } = aCloud();
    const nodeClass = { ...aNodeClaim().nodeClass, name: 'gone' };

    const outcome = await launchOne(cloud, aNodeClaim({ nodeClass }));

    expect(outcome).toEqual({ outcome: 'unavailable', unavailable: [] });
    expect(ec2.fleets).toEqual([]);
  });
});

describe('annotations of a claim', () => {
  const types = ['m7i.xlarge', 'm7i.large'];

  it.each([
    ['on-demand', 'lowest-price', 'prioritized'],
    ['spot', 'price-capacity-optimized', 'capacity-optimized-prioritized'],
  ])('make its order of types count if overlays set prices, %s', async (capacityType, usual, own) => {
    const { ec2, cloud } = aCloud();
    const only = { key: CAPACITY_TYPE_LABEL, operator: 'In' as const, values: [capacityType] };
    const claim = { requirements: [only, ONLY_ZONE_A], instanceTypes: types };
    const annotations = { 'karpenter.sh/price-overlay-applied': 'true' };

    await launchOne(cloud, aNodeClaim(claim));
    await launchOne(cloud, aNodeClaim({ ...claim, name: 'general-2', annotations }));

    const [first, second] = ec2.fleets;
    const strategy = (fleet = first) => (fleet?.SpotOptions ?? fleet?.OnDemandOptions)?.AllocationStrategy;
    expect([strategy(first), strategy(second)]).toEqual([usual, own]);
    const overrides = second?.LaunchTemplateConfigs?.flatMap(({ Overrides = [] }) => Overrides);
    expect(overrides?.map(({ InstanceType, Priority }) => [InstanceType, Priority])).toEqual([
      ['m7i.xlarge', 0],
      ['m7i.large', 1],
    ]);
  });

  it('leave out the context of the class if minValues were relaxed', async () => {
    const written = aWrittenClass({ context: 'ctx-1' });
    const { ec2, cloud } = aCloud(undefined, { resolved: { written } });
    const annotations = { 'karpenter.sh/nodeclaim-min-values-relaxed': 'true' };

    await launchOne(cloud, aSimpleClaim());
    await launchOne(cloud, aNodeClaim({ ...aSimpleClaim(), name: 'general-2', annotations }));

    expect(ec2.fleets.map(({ Context }) => Context)).toEqual(['ctx-1', undefined]);
  });
});

describe('the launch template of a launch', () => {
  it('is that of the previous launch with the same content', async () => {
    const { ec2, cloud } = aCloud();

    await launchOne(cloud, aSimpleClaim());
    await launchOne(cloud, aNodeClaim({ ...aSimpleClaim(), name: 'general-2' }));

    expect(ec2.templates).toHaveLength(1);
    expect(ec2.fleets).toHaveLength(2);
  });

  it('is created again once if it was deleted', async () => {
    const { ec2, cloud } = aCloud();
    await launchOne(cloud, aSimpleClaim());
    ec2.loseTemplates();

    await launchOne(cloud, aNodeClaim({ ...aSimpleClaim(), name: 'general-2' }));

    const names = ec2.templates.map(({ LaunchTemplateName }) => LaunchTemplateName);
    expect(names).toEqual([names[0], names[0]]);
    expect(ec2.instances).toHaveLength(2);
  });

  it('names the image of the node', async () => {
    const { cloud } = aCloud();

    expect(await launchOne(cloud, aSimpleClaim())).toMatchObject({
      launch: { imageId: 'ami-amd64' },
    });
  });
});
