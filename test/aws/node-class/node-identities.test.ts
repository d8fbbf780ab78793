import { DescribeInstancesCommand, type DescribeInstancesCommandInput, EC2Client } from '@aws-sdk/client-ec2';
import { DeleteAccessEntryCommand, EKSClient, ResourceNotFoundException } from '@aws-sdk/client-eks';
import {
  DeleteConflictException,
  DeleteInstanceProfileCommand,
  type DeleteInstanceProfileCommandInput,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  type DeleteRolePolicyCommandInput,
  DetachRolePolicyCommand,
  type DetachRolePolicyCommandInput,
  IAMClient,
  type InstanceProfile,
  ListAttachedRolePoliciesCommand,
  ListInstanceProfilesCommand,
  ListInstanceProfilesForRoleCommand,
  ListRolePoliciesCommand,
  type ListRolePoliciesCommandInput,
  NoSuchEntityException,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { awsNodeIdentities } from '../../../shared/aws/node-class/node-identities.ts';
import { NOON } from '../../support/builders.ts';

const clients = {
  ec2: new EC2Client({ region: 'us-east-1' }),
  iam: new IAMClient({ region: 'us-east-1' }),
  eks: new EKSClient({ region: 'us-east-1' }),
};
const ec2 = mockClient(clients.ec2);
const iam = mockClient(clients.iam);
const eks = mockClient(clients.eks);
afterAll(() => {
  for (const mock of [ec2, iam, eks]) mock.restore();
});

const ROLE = 'MortiseNode-demo-1a2b3c4d';
const ROLE_ARN = `arn:aws:iam::123456789012:role/mortise/${ROLE}`;
const OURS = '/karpenter/us-east-1/demo/u-1/';

/** The account: its profiles with their role, those that an instance uses, and whether the role exists. */
let profiles: Map<string, { readonly path: string; readonly role: string | undefined }>;
let used: Set<string>;
let policies: { attached: string[]; inline: string[] };
let hasRole: boolean;
let hasEntry: boolean;
let sleeps: number;
const onSleep = new Set<() => void>();

const problem = { message: 'no', $metadata: {} };
const shown = ([name, { path, role }]: [string, { path: string; role: string | undefined }]) =>
  ({
    InstanceProfileName: name,
    Path: path,
    Arn: name,
    Roles: role === undefined ? [] : [{ RoleName: role }],
  }) as InstanceProfile;

beforeEach(() => {
  profiles = new Map();
  used = new Set();
  policies = { attached: ['arn:cni', 'arn:worker'], inline: ['ipv6'] };
  hasRole = true;
  hasEntry = true;
  sleeps = 0;
  onSleep.clear();
  for (const mock of [ec2, iam, eks]) mock.reset();
  ec2.on(DescribeInstancesCommand).callsFake(({ Filters = [] }: DescribeInstancesCommandInput) => ({
    Reservations: used.has(Filters[0]?.Values?.[0] ?? '') ? [{ Instances: [{ InstanceId: 'i-1' }] }] : [],
  }));
  iam.on(ListInstanceProfilesCommand).callsFake(() => ({
    InstanceProfiles: [...profiles].map(shown),
  }));
  iam.on(ListInstanceProfilesForRoleCommand).callsFake(({ RoleName }: ListRolePoliciesCommandInput) => {
    if (!hasRole) throw new NoSuchEntityException(problem);
    return {
      InstanceProfiles: [...profiles].filter(([, { role }]) => role === RoleName).map(shown),
    };
  });
  iam
    .on(RemoveRoleFromInstanceProfileCommand)
    .callsFake(({ InstanceProfileName: name = '' }: DeleteInstanceProfileCommandInput) => {
      profiles.set(name, { path: profiles.get(name)?.path ?? '', role: undefined });
    });
  iam
    .on(DeleteInstanceProfileCommand)
    .callsFake(({ InstanceProfileName: name = '' }: DeleteInstanceProfileCommandInput) => {
      profiles.delete(name);
    });
  iam.on(ListAttachedRolePoliciesCommand).callsFake(() => {
    if (!hasRole) throw new NoSuchEntityException(problem);
    return { AttachedPolicies: policies.attached.map((PolicyArn) => ({ PolicyArn })) };
  });
  iam.on(ListRolePoliciesCommand).callsFake(() => ({ PolicyNames: policies.inline }));
  iam.on(DetachRolePolicyCommand).callsFake(({ PolicyArn }: DetachRolePolicyCommandInput) => {
    policies.attached = policies.attached.filter((arn) => arn !== PolicyArn);
  });
  iam.on(DeleteRolePolicyCommand).callsFake(({ PolicyName }: DeleteRolePolicyCommandInput) => {
    policies.inline = policies.inline.filter((name) => name !== PolicyName);
  });
  // The rule of IAM: a role must have no policies, and be in no profile.
  iam.on(DeleteRoleCommand).callsFake(() => {
    const isEmpty = policies.attached.length + policies.inline.length === 0;
    if (!isEmpty || [...profiles.values()].some(({ role }) => role === ROLE))
      throw new DeleteConflictException(problem);
    hasRole = false;
  });
  eks.on(DeleteAccessEntryCommand).callsFake(() => {
    if (!hasEntry) throw new ResourceNotFoundException(problem);
    hasEntry = false;
  });
});

const removeUnused = (roleArn?: string) =>
  awsNodeIdentities(
    {
      ...clients,
      clock: { now: () => NOON + sleeps * 4_000 },
      async sleep() {
        sleeps += 1;
        for (const change of onSleep) change();
      },
    },
    { cluster: 'demo', region: 'us-east-1', ...(roleArn !== undefined && { roleArn }) },
  ).removeUnused();

describe('identities of nodes', () => {
  it('go with the stack: unused profiles, then the access entry, then the role with its policies', async () => {
    profiles.set('demo_1', { path: OURS, role: ROLE });

    expect(await removeUnused(ROLE_ARN)).toBeUndefined();

    expect([profiles.size, hasEntry, hasRole]).toEqual([0, false, false]);
    expect(eks.commandCalls(DeleteAccessEntryCommand)[0]?.args[0].input).toEqual({
      clusterName: 'demo',
      principalArn: ROLE_ARN,
    });
  });

  it('stay while an instance uses one: its profile, and role and entry untouched', async () => {
    profiles.set('demo_1', { path: OURS, role: ROLE }).set('demo_2', { path: OURS, role: ROLE });
    used.add('demo_2');

    expect(await removeUnused(ROLE_ARN)).toEqual({ role: ROLE, profiles: ['demo_2'] });

    expect([...profiles.keys()]).toEqual(['demo_2']);
    expect([hasEntry, hasRole, policies.attached.length]).toEqual([true, true, 2]);
  });

  it('stay if a profile that is not ours contains the role', async () => {
    profiles.set('theirs', { path: '/', role: ROLE });

    expect(await removeUnused(ROLE_ARN)).toEqual({ role: ROLE, profiles: ['theirs'] });
    expect([...profiles.keys()]).toEqual(['theirs']);
  });

  it('go also if IAM still lists a profile that was deleted a moment ago', async () => {
    profiles.set('lagging', { path: '/elsewhere/', role: ROLE });
    onSleep.add(() => profiles.clear());

    expect(await removeUnused(ROLE_ARN)).toBeUndefined();
    expect([hasRole, sleeps]).toEqual([false, 1]);
  });

  it('may have been deleted before', async () => {
    hasRole = false;
    hasEntry = false;
    expect(await removeUnused(ROLE_ARN)).toBeUndefined();
  });

  it('are only profiles if the roles are not those of the stack', async () => {
    profiles.set('demo_1', { path: OURS, role: 'KarpenterNodeRole-demo' });

    expect(await removeUnused()).toBeUndefined();
    expect([profiles.size, hasEntry, hasRole]).toEqual([0, true, true]);
  });
});
