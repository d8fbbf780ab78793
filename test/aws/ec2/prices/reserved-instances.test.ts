import { DescribeReservedInstancesCommand, EC2Client, type ReservedInstances } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { readReservedInstances } from '../../../../shared/aws/ec2/prices/reserved-instances.ts';
import { parseInstant } from '../../../../shared/model/time.ts';

const REGIONAL: ReservedInstances = {
  ReservedInstancesId: 'ri-regional',
  InstanceType: 'm7i.xlarge',
  InstanceCount: 4,
  ProductDescription: 'Linux/UNIX',
  InstanceTenancy: 'default',
  Scope: 'Region',
  End: new Date('2027-03-01T00:00:00Z'),
};

async function read(reserved: ReservedInstances, share = 1) {
  const ec2 = new EC2Client({ region: 'us-east-1' });
  const stub = mockClient(ec2);
  stub.on(DescribeReservedInstancesCommand).resolves({ ReservedInstances: [reserved] });
  const commitments = await readReservedInstances(ec2, share);
  const [call] = stub.commandCalls(DescribeReservedInstancesCommand);
  expect(call?.args[0].input.Filters).toEqual([{ Name: 'state', Values: ['active'] }]);
  return commitments;
}

describe('the reserved instances of the account', () => {
  it('are commitments of their family, as far as the cluster may use them', async () => {
    expect(await read(REGIONAL, 0.5)).toEqual([
      {
        id: 'ri-regional',
        unit: 'normalized-units',
        amount: 16,
        family: 'm7i',
        endsAt: parseInstant('2027-03-01T00:00:00Z'),
      },
    ]);
  });

  it('are instances of one zone if they are zonal', async () => {
    const zonal = {
      ...REGIONAL,
      Scope: 'Availability Zone',
      AvailabilityZone: 'us-east-1b',
    } as const;

    expect(await read(zonal)).toMatchObject([
      { unit: 'instances', amount: 4, instanceType: 'm7i.xlarge', zone: 'us-east-1b' },
    ]);
  });

  it.each<[string, Partial<ReservedInstances>]>([
    ['for Windows', { ProductDescription: 'Windows' }],
    ['for dedicated tenancy', { InstanceTenancy: 'dedicated' }],
  ])('are left out %s', async (_, over) => {
    expect(await read({ ...REGIONAL, ...over })).toEqual([]);
  });
});
