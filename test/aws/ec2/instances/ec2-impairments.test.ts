import {
  DescribeInstanceStatusCommand,
  type DescribeInstanceStatusCommandInput,
  EC2Client,
  type InstanceStatus,
  type InstanceStatusSummary,
} from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { ec2Impairments } from '../../../../shared/aws/ec2/instances/ec2-impairments.ts';
import type { LogLine } from '../../../../shared/aws/log.ts';
import { NOON } from '../../../support/builders.ts';
import { ec2Error } from '../../support/fake-ec2.ts';

const ZONE = { AvailabilityZone: 'us-east-1a' };
const providerIdOf = (id: string): string => `aws:///us-east-1a/${id}`;
const FAILED: InstanceStatusSummary = {
  Status: 'impaired',
  Details: [{ Name: 'reachability', Status: 'failed', ImpairedSince: new Date(NOON) }],
};

type Page = { InstanceStatuses: InstanceStatus[]; NextToken?: string };
type Answer = (filter: string, input: DescribeInstanceStatusCommandInput) => Page;

/** EC2 with the statuses of `answer`, by the name of the filter. */
function anEc2(answer: Answer) {
  const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
  const requested: DescribeInstanceStatusCommandInput[] = [];
  mockClient(client)
    .on(DescribeInstanceStatusCommand)
    .callsFake((input: DescribeInstanceStatusCommandInput) => {
      requested.push(input);
      return answer(input.Filters?.[0]?.Name ?? '', input);
    });
  const logged: LogLine[] = [];
  const read = ec2Impairments(client, (line) => void logged.push(line));
  return { read, asked: requested, logged };
}

const showing = (result: Readonly<Record<string, readonly InstanceStatus[]>>) =>
  anEc2((filter) => ({ InstanceStatuses: [...(result[filter] ?? [])] }));

const event = (Description: string): InstanceStatus => ({
  ...ZONE,
  InstanceId: 'i-1',
  Events: [{ Code: 'instance-retirement', Description }],
});

describe('impairments in EC2', () => {
  it('are read by three filters, in pages', async () => {
    const { read, asked: requested } = showing({});

    expect(await read()).toEqual([]);
    expect(requested.map(({ Filters, MaxResults }) => [Filters?.[0]?.Name, MaxResults])).toEqual([
      ['instance-status.status', 1000],
      ['system-status.status', 1000],
      ['event.code', 1000],
    ]);
    expect(requested.map(({ Filters }) => Filters?.[0]?.Values?.length)).toEqual([1, 1, 5]);
  });

  it('are reported once per instance, whatever filters match it', async () => {
    const both = { ...ZONE, InstanceId: 'i-1', InstanceStatus: FAILED, SystemStatus: FAILED };
    const { read } = showing({
      'instance-status.status': [both],
      'system-status.status': [both],
    });

    expect(await read()).toEqual([
      { providerId: providerIdOf('i-1'), cause: 'system_status', since: NOON },
      { providerId: providerIdOf('i-1'), cause: 'instance_status', since: NOON },
    ]);
  });

  it('are read to the last page', async () => {
    const { read } = anEc2((filter, { NextToken }) => {
      const InstanceId = NextToken ? 'i-2' : 'i-1';
      const page = { InstanceStatuses: [{ ...ZONE, InstanceId, SystemStatus: FAILED }] };
      if (filter !== 'system-status.status') return { InstanceStatuses: [] };
      return NextToken ? page : { ...page, NextToken: 'more' };
    });

    expect((await read()).map(({ providerId }) => providerId)).toEqual([providerIdOf('i-1'), providerIdOf('i-2')]);
  });

  it('leave out passed checks, and checks of volumes alone', async () => {
    const { read } = showing({
      'instance-status.status': [
        {
          ...ZONE,
          InstanceId: 'i-1',
          InstanceStatus: {
            Status: 'initializing',
            Details: [{ Name: 'reachability', Status: 'initializing' }],
          },
          AttachedEbsStatus: {
            Status: 'impaired',
            Details: [{ Name: 'reachability', Status: 'failed', ImpairedSince: new Date(NOON) }],
          },
        },
      ],
    });

    expect(await read()).toEqual([]);
  });

  it('include a scheduled event until it is over', async () => {
    const planned = showing({ 'event.code': [event('The instance is on degraded hardware')] });
    expect(await planned.read()).toEqual([{ providerId: providerIdOf('i-1'), cause: 'event_status' }]);

    for (const over of ['[Completed] degraded hardware', '[Canceled] degraded hardware']) {
      expect(await showing({ 'event.code': [event(over)] }).read()).toEqual([]);
    }
  });

  it('are not read again after EC2 denied it, which is logged once', async () => {
    const {
      read,
      asked: requested,
      logged,
    } = anEc2(() => {
      throw ec2Error('UnauthorizedOperation', 'You are not authorized');
    });

    expect(await read()).toEqual([]);
    const first = requested.length;
    expect(await read()).toEqual([]);

    expect(requested).toHaveLength(first);
    expect(logged.map(({ level }) => level)).toEqual(['error']);
  });

  it('are read again after any other error', async () => {
    const { read } = anEc2(() => {
      throw ec2Error('RequestLimitExceeded', 'slow down');
    });

    await expect(read()).rejects.toThrow('slow down');
    await expect(read()).rejects.toThrow('slow down');
  });
});
