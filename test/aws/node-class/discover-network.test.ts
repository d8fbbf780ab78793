import { DescribeSecurityGroupsCommand, DescribeSubnetsCommand, EC2Client, type Subnet } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { discoverSecurityGroups, discoverSubnets } from '../../../shared/aws/node-class/discover-network.ts';
import { ZONES } from '../../support/builders.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
beforeEach(() => {
  ec2.reset();
});

const subnet = (SubnetId: string, AvailableIpAddressCount: number): Subnet => ({
  SubnetId,
  AvailabilityZone: ZONES[0],
  AvailabilityZoneId: 'use1-az1',
  AvailableIpAddressCount,
});

/** The filters of every request for subnets. */
const askedFor = () => ec2.commandCalls(DescribeSubnetsCommand).map(({ args: [{ input }] }) => input.Filters);

describe('subnets', () => {
  const discover = discoverSubnets(client);

  it('are sorted by their free addresses', async () => {
    const Subnets = [subnet('subnet-a', 20), subnet('subnet-c', 50), subnet('subnet-b', 100)];
    ec2.on(DescribeSubnetsCommand).resolves({ Subnets });

    const result = await discover([{ tags: { Name: 'a' } }]);

    expect(result.map(({ id }) => id)).toEqual(['subnet-b', 'subnet-c', 'subnet-a']);
    expect(result[0]).toEqual({
      id: 'subnet-b',
      zone: ZONES[0],
      zoneId: 'use1-az1',
      freeAddresses: 100,
    });
  });

  it('match all tags of a term in one request', async () => {
    ec2.on(DescribeSubnetsCommand).resolves({});

    await discover([{ tags: { Name: 'a', Team: 'b' } }]);

    expect(askedFor()).toEqual([
      [
        { Name: 'tag:Name', Values: ['a'] },
        { Name: 'tag:Team', Values: ['b'] },
      ],
    ]);
  });

  it('match any term with a request each, and are listed once', async () => {
    ec2.on(DescribeSubnetsCommand).resolves({ Subnets: [subnet('subnet-a', 1)] });

    const result = await discover([{ tags: { Name: 'a' } }, { tags: { Name: 'b' } }]);

    expect(askedFor()).toHaveLength(2);
    expect(result).toHaveLength(1);
  });

  it('by id are one request together', async () => {
    ec2.on(DescribeSubnetsCommand).resolves({});

    await discover([{ id: '1' }, { tags: { a: 'b' } }, { id: '2' }, { id: '3' }]);

    expect(askedFor()).toEqual([[{ Name: 'subnet-id', Values: ['1', '2', '3'] }], [{ Name: 'tag:a', Values: ['b'] }]]);
  });

  it('with any value of a tag are queried by its key', async () => {
    ec2.on(DescribeSubnetsCommand).resolves({});

    await discover([{ tags: { discovery: '*' } }]);

    expect(askedFor()).toEqual([[{ Name: 'tag-key', Values: ['discovery'] }]]);
  });

  it('are read to the last page, even after an empty one', async () => {
    ec2
      .on(DescribeSubnetsCommand)
      .resolvesOnce({ Subnets: [], NextToken: 'more' })
      .resolves({ Subnets: [subnet('subnet-a', 1)] });

    expect(await discover([{ tags: { a: 'b' } }])).toHaveLength(1);
  });
});

describe('security groups', () => {
  it('by name are one request together, sorted by id', async () => {
    ec2.on(DescribeSecurityGroupsCommand).resolves({
      SecurityGroups: [
        { GroupId: 'sg-2', GroupName: 'sg-b' },
        { GroupId: 'sg-1', GroupName: 'sg-a' },
      ],
    });

    const result = await discoverSecurityGroups(client)([{ name: 'sg-a' }, { name: 'sg-b' }]);

    expect(result).toEqual([
      { id: 'sg-1', name: 'sg-a' },
      { id: 'sg-2', name: 'sg-b' },
    ]);
    const calls = ec2.commandCalls(DescribeSecurityGroupsCommand);
    expect(calls.map(({ args: [{ input }] }) => input.Filters)).toEqual([
      [{ Name: 'group-name', Values: ['sg-a', 'sg-b'] }],
    ]);
  });
});
