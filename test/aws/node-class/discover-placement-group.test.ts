import { DescribePlacementGroupsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { discoverPlacementGroup } from '../../../shared/aws/node-class/class-resources.ts';
import { ec2Error } from '../support/fake-ec2.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
beforeEach(() => {
  ec2.reset();
});

describe('a placement group', () => {
  const discover = discoverPlacementGroup(client);

  it('is found by name or id, with its partitions', async () => {
    ec2.on(DescribePlacementGroupsCommand).resolves({
      PlacementGroups: [{ GroupId: 'pg-1', GroupName: 'rack', Strategy: 'partition', PartitionCount: 3 }],
    });

    const group = { id: 'pg-1', name: 'rack', strategy: 'partition', partitions: 3 };
    expect(await discover({ name: 'rack' })).toEqual(group);
    expect(await discover({ id: 'pg-1' })).toEqual(group);
    const requested = ec2.commandCalls(DescribePlacementGroupsCommand).map(({ args }) => args[0].input);
    const Filters = [{ Name: 'state', Values: ['available'] }];
    expect(requested).toEqual([
      { GroupNames: ['rack'], Filters },
      { GroupIds: ['pg-1'], Filters },
    ]);
  });

  it('is undefined if it does not exist or is not available', async () => {
    ec2
      .on(DescribePlacementGroupsCommand)
      .rejectsOnce(ec2Error('InvalidPlacementGroup.Unknown'))
      .resolves({ PlacementGroups: [] });

    expect(await discover({ name: 'x' })).toBeUndefined();
    expect(await discover({ name: 'x' })).toBeUndefined();
  });

  it('throws if the query fails otherwise', async () => {
    ec2.on(DescribePlacementGroupsCommand).rejects(ec2Error('RequestLimitExceeded'));

    await expect(discover({ name: 'x' })).rejects.toThrow('RequestLimitExceeded');
  });
});
