import {
  type CapacityReservation,
  DescribeCapacityReservationsCommand,
  DescribeImagesCommand,
  DescribePlacementGroupsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
  type Image,
  type Subnet,
} from '@aws-sdk/client-ec2';
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { discoverImages } from '../../../shared/aws/node-class/discover-images.ts';
import {
  discoverSecurityGroups,
  discoverSubnets,
} from '../../../shared/aws/node-class/discover-network.ts';
import { discoverPlacementGroup } from '../../../shared/aws/node-class/discover-placement-group.ts';
import { discoverReservations } from '../../../shared/aws/node-class/discover-reservations.ts';
import { isExpiring } from '../../../shared/model/resolved-node-class.ts';
import { formatInstant, MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON, ZONES } from '../../support/builders.ts';
import { aWrittenClass } from '../../support/node-classes.ts';
import { ec2Error } from '../support/fake-ec2.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ssmClient = new SSMClient({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
const ssm = mockClient(ssmClient);
beforeEach(() => {
  ec2.reset();
  ssm.reset();
});

const subnet = (SubnetId: string, AvailableIpAddressCount: number): Subnet => ({
  SubnetId,
  AvailabilityZone: ZONES[0],
  AvailabilityZoneId: 'use1-az1',
  AvailableIpAddressCount,
});

/** The filters of every request for subnets. */
const askedFor = () =>
  ec2.commandCalls(DescribeSubnetsCommand).map(({ args: [{ input }] }) => input.Filters);

describe('subnets', () => {
  const discover = discoverSubnets(client);

  it('D1: stand in the order of their free addresses', async () => {
    const Subnets = [subnet('subnet-a', 20), subnet('subnet-c', 50), subnet('subnet-b', 100)];
    ec2.on(DescribeSubnetsCommand).resolves({ Subnets });

    const found = await discover([{ tags: { Name: 'a' } }]);

    expect(found.map(({ id }) => id)).toEqual(['subnet-b', 'subnet-c', 'subnet-a']);
    expect(found[0]).toEqual({
      id: 'subnet-b',
      zone: ZONES[0],
      zoneId: 'use1-az1',
      freeAddresses: 100,
    });
  });

  it('D2: match all tags of a term: one request', async () => {
    ec2.on(DescribeSubnetsCommand).resolves({});

    await discover([{ tags: { Name: 'a', Team: 'b' } }]);

    expect(askedFor()).toEqual([
      [
        { Name: 'tag:Name', Values: ['a'] },
        { Name: 'tag:Team', Values: ['b'] },
      ],
    ]);
  });

  it('D3: match any term: a request for each, and each subnet once', async () => {
    ec2.on(DescribeSubnetsCommand).resolves({ Subnets: [subnet('subnet-a', 1)] });

    const found = await discover([{ tags: { Name: 'a' } }, { tags: { Name: 'b' } }]);

    expect(askedFor()).toHaveLength(2);
    expect(found).toHaveLength(1);
  });

  it('D4: by id are one request together', async () => {
    ec2.on(DescribeSubnetsCommand).resolves({});

    await discover([{ id: '1' }, { tags: { a: 'b' } }, { id: '2' }, { id: '3' }]);

    expect(askedFor()).toEqual([
      [{ Name: 'subnet-id', Values: ['1', '2', '3'] }],
      [{ Name: 'tag:a', Values: ['b'] }],
    ]);
  });

  it('D5: with any value of a tag are asked for by its key', async () => {
    ec2.on(DescribeSubnetsCommand).resolves({});

    await discover([{ tags: { discovery: '*' } }]);

    expect(askedFor()).toEqual([[{ Name: 'tag-key', Values: ['discovery'] }]]);
  });

  it('D6: are read to the last page, though one before is empty', async () => {
    ec2
      .on(DescribeSubnetsCommand)
      .resolvesOnce({ Subnets: [], NextToken: 'more' })
      .resolves({ Subnets: [subnet('subnet-a', 1)] });

    expect(await discover([{ tags: { a: 'b' } }])).toHaveLength(1);
  });
});

describe('security groups', () => {
  it('D10: by name are one request together, and stand in the order of their ids', async () => {
    ec2.on(DescribeSecurityGroupsCommand).resolves({
      SecurityGroups: [
        { GroupId: 'sg-2', GroupName: 'sg-b' },
        { GroupId: 'sg-1', GroupName: 'sg-a' },
      ],
    });

    const found = await discoverSecurityGroups(client)([{ name: 'sg-a' }, { name: 'sg-b' }]);

    expect(found).toEqual([
      { id: 'sg-1', name: 'sg-a' },
      { id: 'sg-2', name: 'sg-b' },
    ]);
    const calls = ec2.commandCalls(DescribeSecurityGroupsCommand);
    expect(calls.map(({ args: [{ input }] }) => input.Filters)).toEqual([
      [{ Name: 'group-name', Values: ['sg-a', 'sg-b'] }],
    ]);
  });
});

describe('images', () => {
  const discover = discoverImages({ ec2: client, ssm: ssmClient });
  const STANDARD = /x86_64\/standard\/recommended/;
  const image = (over: Partial<Image> = {}): Image => ({
    ImageId: 'ami-1',
    Name: 'one',
    Architecture: 'x86_64',
    CreationDate: formatInstant(NOON),
    ...over,
  });
  const find = (terms: readonly object[], now = NOON) =>
    discover(aWrittenClass({ amiFamily: 'AL2023', amiSelectorTerms: terms }).spec, '1.34', now);
  const lastRequest = () => ec2.commandCalls(DescribeImagesCommand).at(-1)?.args[0].input;

  /** Parameters whose names match hold the id; the others do not exist. */
  function publish(names: RegExp, Value: string): void {
    ssm.on(GetParameterCommand).callsFake(({ Name = '' }: { Name?: string }) => {
      if (!names.test(Name)) throw new ParameterNotFound({ message: '', $metadata: {} });
      return { Parameter: { Value } };
    });
  }

  it('D14: of an alias are those of its parameters that exist', async () => {
    publish(STANDARD, 'ami-1');
    ec2.on(DescribeImagesCommand).resolves({ Images: [image()] });

    expect(await find([{ alias: 'al2023@latest' }])).toEqual([
      {
        id: 'ami-1',
        name: 'one',
        deprecated: false,
        createdAt: NOON,
        requirements: [
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'DoesNotExist' },
          { key: 'karpenter.k8s.aws/instance-accelerator-count', operator: 'DoesNotExist' },
        ],
      },
    ]);
    expect(lastRequest()).toMatchObject({
      Filters: [
        { Name: 'state', Values: ['available'] },
        { Name: 'image-id', Values: ['ami-1'] },
      ],
      IncludeDeprecated: true,
    });
  });

  it('D14: of an alias are none where no parameter exists', async () => {
    publish(/nothing/, '');

    expect(await find([{ alias: 'al2023@latest' }])).toEqual([]);
    expect(ec2.commandCalls(DescribeImagesCommand)).toEqual([]);
  });

  it('D17: are deprecated from their time on', async () => {
    publish(STANDARD, 'ami-1');
    const DeprecationTime = formatInstant(NOON + 30 * MINUTE_MS);
    ec2.on(DescribeImagesCommand).resolves({ Images: [image({ DeprecationTime })] });

    expect(await find([{ alias: 'al2023@latest' }])).toMatchObject([{ deprecated: false }]);
    expect(await find([{ alias: 'al2023@latest' }], NOON + 40 * MINUTE_MS)).toMatchObject([
      { deprecated: true },
    ]);
  });

  it.each([
    ['D18: ours and Amazon’s by name', { name: 'a*' }, ['self', 'amazon']],
    ['D18: of the owner that is named', { name: 'a*', owner: '012345678901' }, ['012345678901']],
    ['D19: of anybody by tags', { tags: { a: 'b' } }, undefined],
    ['of the owner with tags', { tags: { a: 'b' }, owner: 'self' }, ['self']],
  ])('are %s', async (_, term, owners) => {
    ec2.on(DescribeImagesCommand).resolves({ Images: [image()] });

    await find([term]);

    expect(lastRequest()?.Owners).toEqual(owners);
  });

  it('by id are one request without an owner', async () => {
    ec2.on(DescribeImagesCommand).resolves({ Images: [image()] });

    await find([{ id: 'ami-1' }, { id: 'ami-2' }]);

    expect(lastRequest()).toMatchObject({
      Filters: [{ Name: 'state' }, { Name: 'image-id', Values: ['ami-1', 'ami-2'] }],
    });
    expect(lastRequest()).not.toHaveProperty('Owners');
  });

  it.each([
    ['D20: that does not exist', /nothing/, ''],
    ['D21: that holds something else', /mine/, 'foo'],
  ])('are not looked for by a parameter %s', async (_, names, value) => {
    publish(names, value);

    expect(await find([{ ssmParameter: '/mine/ami' }])).toEqual([]);
  });

  it('D20: fail with the parameter that nobody may read', async () => {
    ssm.on(GetParameterCommand).rejects(new Error('AccessDeniedException'));

    await expect(find([{ ssmParameter: '/mine/ami' }])).rejects.toThrow('AccessDenied');
  });

  it('are found by a parameter of one’s own', async () => {
    publish(/mine/, 'ami-1');
    ec2.on(DescribeImagesCommand).resolves({ Images: [image()] });

    expect(await find([{ ssmParameter: '/mine/ami' }])).toMatchObject([{ id: 'ami-1' }]);
  });

  it('D22, D23: of other architectures are nobody’s; what the tags say does not count', async () => {
    const Tags = [{ Key: 'kubernetes.io/arch', Value: 'arm64' }];
    const Images = [image({ ImageId: 'ami-i386', Architecture: 'i386' }), image({ Tags })];
    ec2.on(DescribeImagesCommand).resolves({ Images });

    expect(await find([{ tags: { a: 'b' } }])).toMatchObject([
      {
        id: 'ami-1',
        requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      },
    ]);
  });
});

describe('capacity reservations', () => {
  const discover = discoverReservations(client);

  /** Ten of m5.large in the first zone, for as long as somebody pays. */
  const reservation = (over: CapacityReservation = {}): CapacityReservation => ({
    CapacityReservationId: 'cr-1',
    AvailabilityZone: ZONES[0],
    InstanceType: 'm5.large',
    OwnerId: '123456789012',
    InstanceMatchCriteria: 'targeted',
    AvailableInstanceCount: 10,
    ...over,
  });
  const answer = (...CapacityReservations: CapacityReservation[]) =>
    ec2.on(DescribeCapacityReservationsCommand).resolves({ CapacityReservations });
  const asked = () =>
    ec2.commandCalls(DescribeCapacityReservationsCommand).map(({ args: [{ input }] }) => input);

  it('D37: tell type, zone, owner and how many are free; by default nobody takes them back', async () => {
    answer(reservation());

    expect(await discover([{ id: 'cr-1' }], NOON)).toEqual([
      {
        id: 'cr-1',
        zone: ZONES[0],
        instanceType: 'm5.large',
        ownerId: '123456789012',
        matchCriteria: 'targeted',
        kind: 'default',
        isInterruptible: false,
        freeInstances: 10,
      },
    ]);
  });

  it('D36: by id are asked for one by one and without pages, others by filters', async () => {
    answer();

    await discover(
      [
        { id: 'cr-1' },
        { id: 'cr-2' },
        { tags: { team: 'a' }, ownerID: '123456789012' },
        { instanceMatchCriteria: 'open' },
      ],
      NOON,
    );

    const active = { Name: 'state', Values: ['active'] };
    expect(asked()).toEqual([
      { CapacityReservationIds: ['cr-1'], Filters: [active] },
      { CapacityReservationIds: ['cr-2'], Filters: [active] },
      {
        MaxResults: 1000,
        Filters: [
          active,
          { Name: 'owner-id', Values: ['123456789012'] },
          { Name: 'tag:team', Values: ['a'] },
        ],
      },
      {
        MaxResults: 1000,
        Filters: [active, { Name: 'instance-match-criteria', Values: ['open'] }],
      },
    ]);
  });

  it('D34: that have ended are left out, whatever EC2 still says', async () => {
    answer(reservation({ EndDate: new Date(NOON) }));

    expect(await discover([{ id: 'cr-1' }], NOON)).toEqual([]);
    expect(await discover([{ id: 'cr-1' }], NOON - 1)).toHaveLength(1);
  });

  it('D36: that EC2 does not know are none, and are no error', async () => {
    ec2
      .on(DescribeCapacityReservationsCommand)
      .rejectsOnce(ec2Error('InvalidCapacityReservationId.NotFound'))
      .resolves({ CapacityReservations: [reservation({ CapacityReservationId: 'cr-2' })] });

    const found = await discover([{ id: 'cr-1' }, { id: 'cr-2' }], NOON);

    expect(found.map(({ id }) => id)).toEqual(['cr-2']);
  });

  it('D36: that several terms find are one each', async () => {
    answer(reservation());

    expect(await discover([{ tags: { a: 'b' } }, { tags: { c: 'd' } }], NOON)).toHaveLength(1);
  });

  it.each([
    ['capacity-block', 40, true],
    ['capacity-block', 41, false],
    ['default', 40, false],
  ] as const)('D35: of kind %s that end in %d min expire: %s', (kind, minutes, expires) => {
    expect(isExpiring({ kind, endsAt: NOON + minutes * MINUTE_MS }, NOON)).toBe(expires);
  });
});

describe('a placement group', () => {
  const discover = discoverPlacementGroup(client);

  it('is asked for by its name or its id, and has its partitions', async () => {
    ec2.on(DescribePlacementGroupsCommand).resolves({
      PlacementGroups: [
        { GroupId: 'pg-1', GroupName: 'rack', Strategy: 'partition', PartitionCount: 3 },
      ],
    });

    const group = { id: 'pg-1', name: 'rack', strategy: 'partition', partitions: 3 };
    expect(await discover({ name: 'rack' })).toEqual(group);
    expect(await discover({ id: 'pg-1' })).toEqual(group);
    const asked = ec2.commandCalls(DescribePlacementGroupsCommand).map(({ args }) => args[0].input);
    const Filters = [{ Name: 'state', Values: ['available'] }];
    expect(asked).toEqual([
      { GroupNames: ['rack'], Filters },
      { GroupIds: ['pg-1'], Filters },
    ]);
  });

  it('D38: that is not there, or not available, is none', async () => {
    ec2
      .on(DescribePlacementGroupsCommand)
      .rejectsOnce(ec2Error('InvalidPlacementGroup.Unknown'))
      .resolves({ PlacementGroups: [] });

    expect(await discover({ name: 'x' })).toBeUndefined();
    expect(await discover({ name: 'x' })).toBeUndefined();
  });

  it('D39: whose look-up fails otherwise is an error, for nobody knows', async () => {
    ec2.on(DescribePlacementGroupsCommand).rejects(ec2Error('RequestLimitExceeded'));

    await expect(discover({ name: 'x' })).rejects.toThrow('RequestLimitExceeded');
  });
});
