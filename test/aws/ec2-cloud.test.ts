import { describe, expect, it } from 'vitest';
import { ec2Cloud } from '../../shared/aws/ec2-cloud.ts';
import { bundledMarket } from '../../shared/aws/ec2-market.ts';
import { findLaunchable } from '../../shared/aws/node-class/find-launchable.ts';
import { launchTemplates } from '../../shared/aws/node-class/launch-templates.ts';
import type { TakenCounts } from '../../shared/aws/taken-counts.ts';
import { onDemandUsd } from '../../shared/catalogue/on-demand-prices.ts';
import { LaunchFailedError } from '../../shared/model/errors.ts';
import type { UnavailableOffering } from '../../shared/model/instance-type.ts';
import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../shared/model/labels.ts';
import type {
  NodePlacementGroup,
  NodeReservation,
} from '../../shared/model/resolved-node-class.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { ResolvedNodeClass } from '../../shared/ports/node-classes.ts';
import { cloudContract } from '../contracts/cloud-contract.ts';
import { aNodeClaim, aNodePool, NOON, REGION, ZONES } from '../support/builders.ts';
import { launchOne } from '../support/launch-one.ts';
import { aReservation, aResolvedClass, aWrittenClass } from '../support/node-classes.ts';
import { ec2Error, type FakeEc2, fakeEc2, type Refuse } from './support/fake-ec2.ts';
import { simTakenCounts } from './support/taken-counts.ts';
import { simTemplateUses } from './support/template-uses.ts';

const SETTINGS = { region: REGION, cluster: 'demo' };
const CLOCK = { now: () => NOON };
const ONLY_ON_DEMAND = { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['on-demand'] } as const;
const ONLY_SPOT = { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['spot'] } as const;
const ONLY_ZONE_A = { key: ZONE_LABEL, operator: 'In', values: [ZONES[0]] } as const;

interface Circumstances {
  readonly dry?: readonly UnavailableOffering[];
  readonly resolved?: Partial<ResolvedNodeClass>;
  readonly taken?: TakenCounts;
}

const cloudOver = (
  ec2: FakeEc2,
  { dry = [], resolved, taken = simTakenCounts() }: Circumstances = {},
) =>
  ec2Cloud(
    {
      ec2: ec2.client,
      clock: CLOCK,
      log: () => undefined,
      market: bundledMarket(ZONES),
      unavailableOfferings: { list: async () => dry },
      learnedSizes: { list: async () => [] },
      takenCounts: taken,
      findNodeClass: findLaunchable({
        nodeClasses: {
          find: async (name) => (name === 'default' ? aResolvedClass(resolved) : undefined),
        },
        takenCounts: taken,
        clock: CLOCK,
      }),
      templates: launchTemplates(
        { ec2: ec2.client, clock: CLOCK, uses: simTemplateUses() },
        { region: REGION },
      ),
    },
    SETTINGS,
  );

const aCloud = (refuse?: Refuse, circumstances?: Circumstances) => {
  const ec2 = fakeEc2(refuse);
  return { ec2, cloud: cloudOver(ec2, circumstances) };
};

/** An m7i.large on demand in the first zone. */
const aSimpleClaim = () => aNodeClaim({ requirements: [ONLY_ON_DEMAND, ONLY_ZONE_A] });
const simple = { instanceType: 'm7i.large', zone: ZONES[0], capacityType: 'on-demand' } as const;

cloudContract('EC2', async () => {
  const { ec2, cloud } = aCloud(({ InstanceType }) =>
    InstanceType === 'm7i.8xlarge' ? 'InsufficientInstanceCapacity' : undefined,
  );
  return {
    cloud,
    pool: aNodePool(),
    claim: aNodeClaim({ instanceTypes: ['m7i.large', 'm7i.2xlarge'] }),
    impossible: aNodeClaim({ name: 'general-2', instanceTypes: ['m7i.8xlarge'] }),
    settle: async () => {
      ec2.settle();
      expect(ec2.instances).toHaveLength(1);
    },
  };
});

describe('the request for an instance', () => {
  it('names template, types, subnets and tags, and stands for its claim', async () => {
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
            Overrides: [
              { InstanceType: 'm7i.large', SubnetId: 'subnet-a', AvailabilityZone: ZONES[0] },
            ],
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

  it('has one token for each claim, capacity type and life of a name', async () => {
    const { ec2, cloud } = aCloud(() => 'InsufficientInstanceCapacity');

    await launchOne(cloud, aNodeClaim());
    await launchOne(cloud, aNodeClaim());
    await launchOne(cloud, aNodeClaim({ uid: 'another life' }));

    const tokens = ec2.fleets.map(({ ClientToken }) => ClientToken);
    expect(tokens.slice(0, 2)).toEqual(tokens.slice(2, 4));
    expect(new Set(tokens).size).toBe(4);
  });

  it('asks for spot by price and capacity, in every zone that has a subnet', async () => {
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

  it('O7: leaves out what EC2 lately had none of', async () => {
    const dry = [
      { instanceType: 'm7i.large', until: NOON + 1 },
      { zone: ZONES[1], capacityType: 'spot' as const, until: NOON + 1 },
    ];
    const { ec2, cloud } = aCloud(undefined, { dry });

    await launchOne(cloud, aNodeClaim({ instanceTypes: ['m7i.large', 'm7i.xlarge'] }));

    const [fleet] = ec2.fleets;
    expect(fleet?.LaunchTemplateConfigs?.[0]?.Overrides).toMatchObject([
      { InstanceType: 'm7i.xlarge', AvailabilityZone: ZONES[0] },
      { InstanceType: 'm7i.xlarge', AvailabilityZone: ZONES[2] },
    ]);
  });

  it('O11, O12: is not sent when nothing is left to ask for', async () => {
    const { ec2, cloud } = aCloud(undefined, { dry: [{ until: NOON + 1 }] });

    const outcome = await launchOne(cloud, aNodeClaim());

    expect(outcome).toEqual({ outcome: 'unavailable', unavailable: [] });
    expect(ec2.fleets).toEqual([]);
  });

  it('is not sent for a claim whose NodeClass is gone', async () => {
    const { ec2, cloud } = aCloud();
    const nodeClass = { ...aNodeClaim().nodeClass, name: 'gone' };

    const outcome = await launchOne(cloud, aNodeClaim({ nodeClass }));

    expect(outcome).toEqual({ outcome: 'unavailable', unavailable: [] });
    expect(ec2.fleets).toEqual([]);
  });
});

describe('what a plan notes on a claim', () => {
  const types = ['m7i.xlarge', 'm7i.large'];

  it.each([
    ['on-demand', 'lowest-price', 'prioritized'],
    ['spot', 'price-capacity-optimized', 'capacity-optimized-prioritized'],
  ])('L11: of prices of their own makes its order count, %s', async (capacityType, usual, own) => {
    const { ec2, cloud } = aCloud();
    const only = { key: CAPACITY_TYPE_LABEL, operator: 'In' as const, values: [capacityType] };
    const claim = { requirements: [only, ONLY_ZONE_A], instanceTypes: types };
    const annotations = { 'karpenter.sh/price-overlay-applied': 'true' };

    await launchOne(cloud, aNodeClaim(claim));
    await launchOne(cloud, aNodeClaim({ ...claim, name: 'general-2', annotations }));

    const [first, second] = ec2.fleets;
    const strategy = (fleet = first) =>
      (fleet?.SpotOptions ?? fleet?.OnDemandOptions)?.AllocationStrategy;
    expect([strategy(first), strategy(second)]).toEqual([usual, own]);
    const overrides = second?.LaunchTemplateConfigs?.flatMap(({ Overrides = [] }) => Overrides);
    expect(overrides?.map(({ InstanceType, Priority }) => [InstanceType, Priority])).toEqual([
      ['m7i.xlarge', 0],
      ['m7i.large', 1],
    ]);
  });

  it('L12: of fewer kinds than wanted leaves the context of the class out', async () => {
    const written = aWrittenClass({ context: 'ctx-1' });
    const { ec2, cloud } = aCloud(undefined, { resolved: { written } });
    const annotations = { 'karpenter.sh/nodeclaim-min-values-relaxed': 'true' };

    await launchOne(cloud, aSimpleClaim());
    await launchOne(cloud, aNodeClaim({ ...aSimpleClaim(), name: 'general-2', annotations }));

    expect(ec2.fleets.map(({ Context }) => Context)).toEqual(['ctx-1', undefined]);
  });
});

describe('a launch', () => {
  it('tells type, zone, capacity type, price and labels of what EC2 chose', async () => {
    const { cloud } = aCloud();

    const outcome = await launchOne(cloud, aSimpleClaim());

    expect(outcome).toMatchObject({
      outcome: 'launched',
      launch: {
        ...simple,
        providerId: 'aws:///us-east-1a/i-00000000000000001',
        hourlyUsd: onDemandUsd('m7i.large'),
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

  it('O11: takes on demand when no spot is to be had, and says which spot', async () => {
    const { cloud } = aCloud((_, { TargetCapacitySpecification }) =>
      TargetCapacitySpecification?.DefaultTargetCapacityType === 'spot'
        ? 'InsufficientInstanceCapacity'
        : undefined,
    );

    const outcome = await launchOne(cloud, aNodeClaim({ requirements: [ONLY_ZONE_A] }));

    expect(outcome).toMatchObject({
      launch: { capacityType: 'on-demand' },
      unavailable: [{ ...simple, capacityType: 'spot' }],
    });
  });

  it('L22: that succeeds names the offerings that failed before', async () => {
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
  ])('L17, L19: that EC2 answers with %s is a lack of capacity', async (code) => {
    const { cloud } = aCloud(() => code);

    const outcome = await launchOne(cloud, aSimpleClaim());

    expect(outcome).toEqual({ outcome: 'unavailable', unavailable: [simple] });
  });

  it('L18: that lacks the role for spot has no spot at all', async () => {
    const { cloud } = aCloud(() => 'AuthFailure.ServiceLinkedRoleCreationNotPermitted');

    const outcome = await launchOne(cloud, aNodeClaim({ requirements: [ONLY_SPOT] }));

    expect(outcome).toEqual({
      outcome: 'unavailable',
      unavailable: ZONES.map((zone) => ({ ...simple, zone, capacityType: 'spot' })),
    });
  });

  it('that fails for want of spot and for a cause of its own is an error, and tries no further', async () => {
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
  ])('that EC2 answers with %s is an error: %s', async (code, reason) => {
    const { cloud } = aCloud(() => code);

    const launch = launchOne(cloud, aSimpleClaim());

    await expect(launch).rejects.toThrow(LaunchFailedError);
    await expect(launch).rejects.toMatchObject({ claim: 'general-1', reason });
  });

  it('whose request is refused as a whole is an error with its cause', async () => {
    const refusal = ec2Error('UnauthorizedOperation', 'Not authorized for images: ami-1');
    const { cloud } = aCloud(() => {
      throw refusal;
    });

    const launch = launchOne(cloud, aSimpleClaim());

    await expect(launch).rejects.toMatchObject({
      reason: 'AMIAuthorizationFailure',
      message:
        'NodeClaim general-1 could not be launched: UnauthorizedOperation: Not authorized for images: ami-1',
      cause: refusal,
    });
  });

  it('L19: that is refused as a whole for the number of fleets is a lack of capacity', async () => {
    const { cloud } = aCloud(() => {
      throw ec2Error('MaxFleetCountExceeded');
    });

    const outcome = await launchOne(cloud, aSimpleClaim());

    expect(outcome).toEqual({ outcome: 'unavailable', unavailable: [simple] });
  });

  it('finds the instance of an attempt that died before it was recorded', async () => {
    const ec2 = fakeEc2();
    const first = await launchOne(cloudOver(ec2), aSimpleClaim());

    const second = await launchOne(cloudOver(ec2, { dry: [{ until: NOON + 1 }] }), aSimpleClaim(), {
      isRepeated: true,
    });

    expect(second).toEqual(first);
    expect(ec2.fleets).toHaveLength(1);
  });

  it('asks for the rest of what such an attempt launched under a token of its own', async () => {
    const { ec2, cloud } = aCloud();
    const claims = [1, 2, 3].map((n) => aNodeClaim({ ...aSimpleClaim(), name: `general-${n}` }));
    const request = { id: 'p-1-0', attempt: 1, claims, known: [] };
    ec2.limit('on-demand', 1);
    const first = await cloud.launch({ ...request, isRepeated: false });

    const second = await cloud.launch({ ...request, isRepeated: true });

    expect(second.launches[0]?.providerId).toBe(first.launches[0]?.providerId);
    const ids = second.launches.map(({ providerId }) => providerId);
    expect(new Set(ids).size).toBe(ids.length);
    const tokens = ec2.fleets.map(({ ClientToken = '' }) => ClientToken.replace(/^\w+-/, ''));
    expect(tokens).toEqual(['1-on-demand', '1-on-demand-1']);
  });

  it('gives no instance twice, should EC2 repeat an answer', async () => {
    const { ec2, cloud } = aCloud();
    const claims = [1, 2].map((n) => aNodeClaim({ ...aSimpleClaim(), name: `general-${n}` }));
    const request = { id: 'p-1-0', attempt: 1, claims, known: [] };
    ec2.limit('on-demand', 1);
    const { launches } = await cloud.launch({ ...request, isRepeated: false });
    ec2.repeatAnswers();

    const second = await cloud.launch({ ...request, isRepeated: true });

    expect(second.launches).toEqual(launches);
  });

  it('that fails in EC2 itself may have launched: nobody says that it did not', async () => {
    const { cloud } = aCloud(() => {
      throw ec2Error('InternalError', 'An internal error has occurred', 500);
    });

    await expect(launchOne(cloud, aSimpleClaim())).rejects.not.toThrow(LaunchFailedError);
  });

  it('that is refused for its rate launched nothing, though EC2 calls it a fault of its own', async () => {
    const { cloud } = aCloud(() => {
      throw ec2Error('RequestLimitExceeded', 'Request limit exceeded.', 503);
    });

    await expect(launchOne(cloud, aSimpleClaim())).rejects.toMatchObject({
      reason: 'RequestLimitExceeded',
    });
  });

  it('takes up, of several instances of a launch, those that live and are nobody’s yet', async () => {
    const { ec2, cloud } = aCloud();
    await launchOne(cloud, aSimpleClaim());
    const [first] = ec2.instances;
    ec2.add({ ...first, InstanceId: 'i-2', State: { Name: 'running' } });
    ec2.add({ ...first, InstanceId: 'i-3', State: { Name: 'shutting-down' } });

    const takenUp = async (known: readonly string[]) => {
      const outcome = await launchOne(cloud, aSimpleClaim(), { isRepeated: true, known });
      return outcome.outcome === 'launched' ? outcome.launch.providerId : undefined;
    };

    expect(await takenUp([])).toBe('aws:///us-east-1a/i-00000000000000001');
    expect(await takenUp(['aws:///us-east-1a/i-00000000000000001'])).toBe('aws:///us-east-1a/i-2');
    expect(ec2.fleets).toHaveLength(1);
  });

  it('B3: that EC2 can do in part, gets the rest of another capacity type', async () => {
    const { ec2, cloud } = aCloud();
    ec2.limit('spot', 2);
    const claims = [1, 2, 3].map((n) => aNodeClaim({ name: `general-${n}` }));

    const answer = await cloud.launch({
      id: 'p-1-0',
      attempt: 1,
      claims,
      isRepeated: false,
      known: [],
    });

    expect(answer.launches.map(({ capacityType }) => capacityType)).toEqual([
      'spot',
      'spot',
      'on-demand',
    ]);
    const wanted = ec2.fleets.map(
      ({ TargetCapacitySpecification: target }) => target?.TotalTargetCapacity,
    );
    expect(wanted).toEqual([3, 1]);
  });

  it('that EC2 does in part and then refuses keeps what there is', async () => {
    const { ec2, cloud } = aCloud(
      ({ AvailabilityZone }, { TargetCapacitySpecification: target }) => {
        const isSpot = target?.DefaultTargetCapacityType === 'spot';
        return !isSpot && AvailabilityZone ? 'UnauthorizedOperation' : undefined;
      },
    );
    ec2.limit('spot', 1);
    const claims = [1, 2].map((n) => aNodeClaim({ name: `general-${n}` }));
    const request = { id: 'p-1-0', attempt: 1, claims, isRepeated: false, known: [] };

    const { launches, refusal } = await cloud.launch(request);

    expect(launches).toHaveLength(1);
    expect(refusal?.reason).toBe('Unauthorized');
  });
});

describe('the launch template of a launch', () => {
  it('T2: is the one of the last launch, where nothing else is said', async () => {
    const { ec2, cloud } = aCloud();

    await launchOne(cloud, aSimpleClaim());
    await launchOne(cloud, aNodeClaim({ ...aSimpleClaim(), name: 'general-2' }));

    expect(ec2.templates).toHaveLength(1);
    expect(ec2.fleets).toHaveLength(2);
  });

  it('L23: is made again, once, if somebody took it away', async () => {
    const { ec2, cloud } = aCloud();
    await launchOne(cloud, aSimpleClaim());
    ec2.loseTemplates();

    await launchOne(cloud, aNodeClaim({ ...aSimpleClaim(), name: 'general-2' }));

    const names = ec2.templates.map(({ LaunchTemplateName }) => LaunchTemplateName);
    expect(names).toEqual([names[0], names[0]]);
    expect(ec2.instances).toHaveLength(2);
  });

  it('says which image the node starts from', async () => {
    const { cloud } = aCloud();

    expect(await launchOne(cloud, aSimpleClaim())).toMatchObject({
      launch: { imageId: 'ami-amd64' },
    });
  });
});

describe('instances', () => {
  const tags = (more: Readonly<Record<string, string>>) =>
    Object.entries(more).map(([Key, Value]) => ({ Key, Value }));
  const inDemo = { 'eks:eks-cluster-name': 'demo' };
  const launch = { 'mortise.sh/launch': 'abc' };
  const claim = { 'karpenter.sh/nodeclaim': 'general-1' };
  const ours = { ...inDemo, ...launch, ...claim };

  it.each([
    ['of another cluster', { ...ours, 'eks:eks-cluster-name': 'demo-2' }],
    ['that Karpenter launched', { ...inDemo, ...claim }],
  ])('N14: do not include one %s', async (_, tagged) => {
    const { ec2, cloud } = aCloud();
    ec2.add({
      InstanceId: 'i-1',
      State: { Name: 'running' },
      Placement: { AvailabilityZone: ZONES[0] },
      Tags: tags(tagged),
    });

    expect(await cloud.instances()).toEqual([]);
  });

  it.each([
    ['pending', 'pending'],
    ['running', 'running'],
    ['stopping', 'running'],
    ['stopped', 'running'],
    ['shutting-down', 'shutting-down'],
  ] as const)('that EC2 calls %s are %s', async (Name, state) => {
    const { ec2, cloud } = aCloud();
    ec2.add({
      InstanceId: 'i-1',
      State: { Name },
      Placement: { AvailabilityZone: ZONES[0] },
      LaunchTime: new Date(NOON),
      InstanceType: 'm7i.large',
      InstanceLifecycle: 'spot',
      Tags: tags({
        ...ours,
        'karpenter.sh/nodepool': 'general',
        'karpenter.k8s.aws/ec2nodeclass': 'default',
      }),
    });

    const instance = {
      providerId: 'aws:///us-east-1a/i-1',
      claim: 'general-1',
      state,
      launchId: 'abc',
      launchedAt: NOON,
      facts: {
        instanceType: 'm7i.large',
        zone: ZONES[0],
        capacityType: 'spot',
        pool: 'general',
        nodeClass: 'default',
      },
    };
    expect(await cloud.instances()).toEqual([instance]);
    expect(await cloud.instance(instance.providerId)).toEqual(instance);
  });

  it('that EC2 has forgotten are gone, and are ended without complaint', async () => {
    const { ec2, cloud } = aCloud();
    await launchOne(cloud, aSimpleClaim());
    const providerId = 'aws:///us-east-1a/i-00000000000000001';
    await cloud.terminate(providerId);
    ec2.settle();
    ec2.forget();

    expect(await cloud.instance(providerId)).toBeUndefined();
    await expect(cloud.terminate(providerId)).resolves.toBeUndefined();
  });

  it('are known by their provider id alone', async () => {
    const { cloud } = aCloud();

    await expect(cloud.terminate('kind://docker/kind/node')).rejects.toThrow('no instance of EC2');
  });
});

describe('the catalogue', () => {
  it('is the same lists while neither prices nor NodeClasses change', async () => {
    const { cloud } = aCloud();

    const first = await cloud.catalogue([aNodePool(), aNodePool({ name: 'batch' })]);
    const second = await cloud.catalogue([aNodePool()]);

    expect(second.offerings).toBe(first.offerings);
    expect(second.instanceTypes.general).toBe(first.instanceTypes.general);
    expect(first.instanceTypes.batch).toBe(first.instanceTypes.general);
  });

  it('has no types for a pool whose NodeClass does not exist', async () => {
    const { cloud } = aCloud();
    const nodeClass = { ...aNodePool().nodeClass, name: 'gone' };

    expect(await cloud.catalogue([aNodePool({ nodeClass })])).toEqual({
      instanceTypes: { general: [] },
      zones: { general: [] },
      zoneIds: {},
      offerings: [],
    });
  });
});

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
  /** An m7i.large has room for 29 pods, and each of them may need an address. */
  const another = (name: string) => aNodeClaim({ ...aSimpleClaim(), name });

  it('L13: are chosen by their free addresses', async () => {
    const { ec2, cloud } = aCloud(undefined, { resolved: inZoneA(10, 100) });

    await launchOne(cloud, aSimpleClaim());

    expect(subnetsAsked(ec2)).toEqual(['subnet-1']);
  });

  it('L14: count what was launched since EC2 was asked, pods and all', async () => {
    const { ec2, cloud } = aCloud(undefined, { resolved: inZoneA(110, 111) });

    await launchOne(cloud, another('a'));
    await launchOne(cloud, another('b'));
    await launchOne(cloud, another('c'));

    expect(subnetsAsked(ec2)).toEqual(['subnet-1', 'subnet-0', 'subnet-1']);
  });

  it('L15: without addresses are left alone for a while, and others are taken', async () => {
    const { ec2, cloud } = aCloud(
      ({ SubnetId }) => (SubnetId === 'subnet-1' ? 'InsufficientFreeAddressesInSubnet' : undefined),
      { resolved: inZoneA(50, 200) },
    );

    const first = await launchOne(cloud, another('a'));
    const second = await launchOne(cloud, another('b'));

    // The type is not to blame.
    expect(first).toEqual({ outcome: 'unavailable', unavailable: [] });
    expect(second.outcome).toBe('launched');
    expect(subnetsAsked(ec2)).toEqual(['subnet-1', 'subnet-0']);
  });

  it('L16: get back what a launch that failed would have taken', async () => {
    let fails = true;
    const { ec2, cloud } = aCloud(() => (fails ? 'InternalError' : undefined), {
      resolved: inZoneA(110, 111),
    });

    await expect(launchOne(cloud, another('a'))).rejects.toThrow(LaunchFailedError);
    fails = false;
    await launchOne(cloud, another('b'));

    expect(subnetsAsked(ec2)).toEqual(['subnet-1', 'subnet-1']);
  });

  it('O3, O4: that are all used up in a zone leave it out of plans and launches', async () => {
    const { ec2, cloud } = aCloud(undefined, { resolved: inZoneA(0, 0) });

    expect(await launchOne(cloud, aSimpleClaim())).toMatchObject({ outcome: 'unavailable' });
    expect((await cloud.catalogue([aNodePool()])).zones).toEqual({ general: [] });
    expect(ec2.fleets).toEqual([]);
  });
});

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

  it('are offered for next to nothing, each with what it has left', async () => {
    const { cloud } = aCloud(undefined, over(aReservation({ freeInstances: 3 })));

    const { offerings } = await cloud.catalogue([aNodePool(), aNodePool({ name: 'batch' })]);

    expect(offerings.filter(({ capacityType }) => capacityType === 'reserved')).toEqual([
      {
        instanceType: 'm7i.large',
        zone: ZONES[0],
        capacityType: 'reserved',
        hourlyUsd: (onDemandUsd('m7i.large') ?? 0) / 10_000_000,
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

  it('O21: are not offered without room, nor when they are about to end', async () => {
    const ending = aReservation({
      id: 'cr-2',
      kind: 'capacity-block',
      endsAt: NOON + 39 * MINUTE_MS,
    });
    const { cloud } = aCloud(undefined, over(aReservation({ freeInstances: 0 }), ending));

    const { offerings } = await cloud.catalogue([aNodePool()]);

    expect(offerings.some(({ capacityType }) => capacityType === 'reserved')).toBe(false);
  });

  it('T7, L25: are asked for by a template that names them, and the node says so', async () => {
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

  it('T8: stay empty of nodes that are not for them', async () => {
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
  ])('T9: of market %s are asked for there', async (market, reservation, fleet) => {
    const { ec2, cloud } = aCloud(undefined, over(reservation));

    await launchOne(cloud, aReservedClaim());

    expect(templateOf(ec2)?.InstanceMarketOptions).toEqual({ MarketType: market });
    expect(ec2.fleets[0]).toMatchObject(fleet);
    expect(ec2.fleets[0]?.OnDemandOptions).toBeUndefined();
    expect(ec2.fleets[0]?.SpotOptions).toBeUndefined();
  });

  it('L2: of equal price are taken in this order: ordinary, blocks, interruptible', async () => {
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

  it('L20: that are full are left alone for a while; a throttled request says nothing of them', async () => {
    let code = 'RequestLimitExceeded';
    const { ec2, cloud } = aCloud(() => code, over(aReservation({ freeInstances: 1 })));

    await expect(launchOne(cloud, aReservedClaim('a'))).rejects.toThrow(LaunchFailedError);
    code = 'ReservationCapacityExceeded';
    await launchOne(cloud, aReservedClaim('b'));
    await launchOne(cloud, aReservedClaim('c'));

    expect(ec2.fleets).toHaveLength(2);
  });

  it('L24: have less room with each launch, before EC2 is asked again', async () => {
    const { ec2, cloud } = aCloud(undefined, over(aReservation({ freeInstances: 1 })));

    const first = await launchOne(cloud, aReservedClaim('a'));
    const second = await launchOne(cloud, aReservedClaim('b'));

    expect([first.outcome, second.outcome]).toEqual(['launched', 'unavailable']);
    expect(ec2.fleets).toHaveLength(1);
  });

  it('L26: are not what an instance on demand runs in that fell into an open one', async () => {
    const { ec2, cloud } = aCloud();
    const launched = (id: string, preference: 'open' | 'capacity-reservations-only') =>
      ec2.add({
        InstanceId: id,
        State: { Name: 'running' },
        Placement: { AvailabilityZone: ZONES[0] },
        CapacityReservationId: 'cr-1',
        CapacityReservationSpecification: { CapacityReservationPreference: preference },
        Tags: [
          { Key: 'eks:eks-cluster-name', Value: 'demo' },
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

  it('is where all nodes of its class start, and the node says so', async () => {
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

  it('with partitions has the first of those that the claim allows', async () => {
    const group = { id: 'pg-1', name: 'a', strategy: 'partition', partitions: 3 } as const;
    const { ec2, cloud } = aCloud(undefined, over(group));
    const key = 'karpenter.k8s.aws/placement-group-partition';
    const requirements = [
      ...aSimpleClaim().requirements,
      { key, operator: 'In' as const, values: ['3', '2'] },
    ];

    await launchOne(cloud, aNodeClaim({ requirements, labels: { [key]: '2' } }));

    expect(ec2.templates[0]?.LaunchTemplateData?.Placement).toMatchObject({ PartitionNumber: 2 });
  });
});
