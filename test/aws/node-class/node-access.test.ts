import {
  CreateAccessEntryCommand,
  DescribeAccessEntryCommand,
  EKSClient,
  EKSServiceException,
  ResourceInUseException,
  ResourceNotFoundException,
} from '@aws-sdk/client-eks';
import { GetInstanceProfileCommand, IAMClient } from '@aws-sdk/client-iam';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { createNodeAccess } from '../../../shared/aws/node-class/node-access.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';

const REGION = { region: 'us-east-1', maxAttempts: 1 };
const eksClient = new EKSClient(REGION);
const iamClient = new IAMClient(REGION);
const eks = mockClient(eksClient);
const iam = mockClient(iamClient);
const ROLE = 'arn:aws:iam::123456789012:role/nodes';
const $metadata = {};

const missing = () => new ResourceNotFoundException({ message: 'no such entry', $metadata });
const refusal = (name: string, message: string) =>
  new EKSServiceException({ name, message, $fault: 'client', $metadata });

let now = NOON;
const look = () => createNodeAccess({ eks: eksClient, iam: iamClient, clock: { now: () => now } }, 'demo');

const showEntry = (type: string): void => {
  eks.on(DescribeAccessEntryCommand).resolves({ accessEntry: { principalArn: ROLE, type } });
};
const created = () => eks.commandCalls(CreateAccessEntryCommand).map(({ args }) => args[0].input);

beforeEach(() => {
  now = NOON;
  eks.reset();
  iam.reset();
  const profile = { Path: '/', InstanceProfileName: 'p', InstanceProfileId: 'i', Arn: 'a' };
  iam.on(GetInstanceProfileCommand).resolves({
    InstanceProfile: {
      ...profile,
      CreateDate: new Date(NOON),
      Roles: [{ Path: '/', RoleName: 'nodes', RoleId: 'r', Arn: ROLE, CreateDate: new Date(NOON) }],
    },
  });
});

describe('the access of node roles', () => {
  it.each([
    ['windows', 'EC2_WINDOWS'],
    ['linux', 'EC2_LINUX'],
  ] as const)('is created for %s nodes with the type %s', async (os, type) => {
    eks.on(DescribeAccessEntryCommand).rejects(missing());
    eks.on(CreateAccessEntryCommand).resolves({});

    expect(await look()('p', os)).toEqual({ outcome: 'ready', role: ROLE });
    expect(created()).toEqual([{ clusterName: 'demo', principalArn: ROLE, type }]);
  });

  it('is left alone if the role has an entry of another type', async () => {
    showEntry('EC2_LINUX');

    expect(await look()('p', 'windows')).toEqual({
      ...{ outcome: 'other-type', role: ROLE, type: 'EC2_LINUX' },
    });
    expect(created()).toEqual([]);
  });

  it('is the entry that another process created at the same time', async () => {
    eks
      .on(DescribeAccessEntryCommand)
      .rejectsOnce(missing())
      .resolves({ accessEntry: { type: 'EC2_WINDOWS' } });
    eks.on(CreateAccessEntryCommand).rejects(new ResourceInUseException({ message: 'exists', $metadata }));

    expect(await look()('p', 'linux')).toEqual({
      ...{ outcome: 'other-type', role: ROLE, type: 'EC2_WINDOWS' },
    });
  });

  it('is left to aws-auth if the cluster knows nothing else', async () => {
    const text =
      "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.";
    eks.on(DescribeAccessEntryCommand).rejects(refusal('InvalidRequestException', text));

    expect(await look()('p', 'linux')).toEqual({ outcome: 'config-map', role: ROLE });
  });

  it('is missing if this runtime may not create it', async () => {
    eks.on(DescribeAccessEntryCommand).rejects(missing());
    eks.on(CreateAccessEntryCommand).rejects(refusal('AccessDeniedException', 'not authorized'));

    expect(await look()('p', 'linux')).toEqual({
      ...{ outcome: 'missing', role: ROLE, why: 'not authorized' },
    });
  });

  it('is unknown if this runtime may not look', async () => {
    eks.on(DescribeAccessEntryCommand).rejects(refusal('AccessDeniedException', 'not authorized'));

    expect(await look()('p', 'linux')).toEqual({ outcome: 'unknown', why: 'not authorized' });
  });

  it('is asked for again later if EKS fails', async () => {
    eks.on(DescribeAccessEntryCommand).rejects(refusal('ServerException', 'try again'));

    await expect(look()('p', 'linux')).rejects.toThrow('try again');
  });

  it('is looked up again after 15 minutes, and at once while it is not ready', async () => {
    const access = look();
    showEntry('EC2_WINDOWS');
    await access('p', 'linux');
    await access('p', 'linux');
    expect(eks.commandCalls(DescribeAccessEntryCommand)).toHaveLength(2);

    showEntry('EC2_LINUX');
    await access('p', 'linux');
    await access('p', 'linux');
    expect(eks.commandCalls(DescribeAccessEntryCommand)).toHaveLength(3);
    now += HOUR_MS;
    await access('p', 'linux');
    expect(eks.commandCalls(DescribeAccessEntryCommand)).toHaveLength(4);
  });
});
