import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FUNCTION_GROUPS, SETUP_GROUPS } from '../../shared/kubernetes/setup/manifest.ts';
import { allowed, aTemplate, propertiesIn, rightsOf, WORKERS } from './fixture.ts';
import { template } from './rights-fixture.ts';

const PROVISION = ['Provisioning', 'NodeLifecycle', 'Disruption'];
const LAUNCH = [...PROVISION, 'NodeClass'];
const QUEUE_READERS = [...WORKERS, 'PollWorker'];
const SETUP = ['ClusterSetup', 'WebhookControl'];
/** Profiles go with their node class, with a deleted cluster, and with the stack. */
const PROFILE_REMOVERS = ['NodeClass', 'Sweep', 'ClusterSetup'];
const OTHERS = ['EventIntake', 'CatalogRefresh', 'DeployCheck'];
const FUNCTIONS = [...QUEUE_READERS, ...OTHERS, ...SETUP];
const STATEFUL = [...QUEUE_READERS, ...SETUP];

/** Each permission of the stack's functions: what it is for, and the functions that have it. */
const PERMISSIONS: readonly (readonly [action: string, purpose: string, functions: readonly string[]])[] = [
  ['cloudwatch:GetMetricStatistics', 'reads how long webhook calls take', ['Sweep']],
  ['dynamodb:BatchGetItem', 'reads many rows at once', [...WORKERS]],
  ['dynamodb:DeleteItem', 'deletes rows: what has ended, or moves to another layout', [...WORKERS]],
  ['dynamodb:GetItem', 'reads rows', STATEFUL],
  ['dynamodb:PutItem', 'writes rows', STATEFUL],
  ['dynamodb:Query', 'lists rows of one partition', [...WORKERS]],
  ['ec2:CreateFleet', "launches instances with the cluster's tags", LAUNCH],
  ['ec2:CreateLaunchTemplate', "creates launch templates with the cluster's tags", LAUNCH],
  ['ec2:CreateTags', 'tags what it creates; the sweep names instances', [...LAUNCH, 'Sweep']],
  ['ec2:DeleteLaunchTemplate', "deletes the cluster's launch templates", ['NodeClass', 'Sweep']],
  ['ec2:DescribeCapacityReservations', 'resolves reservations', ['NodeClass']],
  ['ec2:DescribeImages', 'resolves images', ['NodeClass']],
  ['ec2:DescribeInstanceStatus', "reads EC2's status checks", ['Sweep']],
  ['ec2:DescribeInstanceTypeOfferings', 'reads where types are sold', [...PROVISION, 'Sweep', 'CatalogRefresh']],
  ['ec2:DescribeInstanceTypes', 'reads the instance types', ['CatalogRefresh']],
  ['ec2:DescribeInstances', 'reads instances', [...LAUNCH, 'Sweep', 'ClusterSetup']],
  ['ec2:DescribeLaunchTemplates', 'finds launch templates', [...LAUNCH, 'Sweep']],
  ['ec2:DescribePlacementGroups', 'resolves placement groups', ['NodeClass']],
  [
    'ec2:DescribeReservedInstances',
    'reads what the account has reserved, if the options ask for it',
    ['CatalogRefresh'],
  ],
  ['ec2:DescribeSecurityGroups', 'resolves security groups', ['NodeClass']],
  ['ec2:DescribeSpotPriceHistory', 'reads spot prices', [...PROVISION, 'Sweep', 'CatalogRefresh']],
  ['ec2:DescribeSubnets', 'resolves subnets', ['NodeClass']],
  ['ec2:RebootInstances', 'reboots unhealthy instances of the cluster in place', ['NodeLifecycle']],
  ['ec2:RunInstances', 'launches the instances of a fleet', LAUNCH],
  ['ec2:TerminateInstances', "terminates the cluster's instances", ['NodeLifecycle', 'Sweep']],
  ['eks:CreateAccessEntry', 'gives node roles access to the cluster', ['NodeClass']],
  ['eks:DeleteAccessEntry', 'deletes the access entry of the unused node role with the stack', ['ClusterSetup']],
  ['eks:DescribeAccessEntry', 'reads how node roles have access', ['NodeClass']],
  ['eks:DescribeCluster', "reads the cluster's network, or whether it exists", ['NodeClass', 'ClusterSetup', 'Sweep']],
  ['eks:DisassociateAccessPolicy', 'ends its administration of the cluster', ['ClusterSetup']],
  ['eks:ListAssociatedAccessPolicies', 'reads whether it is an administrator of the cluster', ['ClusterSetup']],
  ['iam:AddRoleToInstanceProfile', "completes the cluster's profiles", ['NodeClass']],
  ['iam:CreateInstanceProfile', "creates profiles with the cluster's tags", ['NodeClass']],
  ['iam:DeleteInstanceProfile', "deletes the cluster's profiles", PROFILE_REMOVERS],
  ['iam:DeleteRole', 'deletes the unused node role with the stack', ['ClusterSetup']],
  ['iam:DeleteRolePolicy', 'deletes the unused node role with the stack', ['ClusterSetup']],
  ['iam:DetachRolePolicy', 'deletes the unused node role with the stack', ['ClusterSetup']],
  ['iam:GetInstanceProfile', 'reads profiles', ['NodeClass']],
  ['iam:ListAttachedRolePolicies', 'reads the policies of the node role', ['ClusterSetup']],
  ['iam:ListInstanceProfiles', 'finds profiles that no instance uses', PROFILE_REMOVERS],
  ['iam:ListInstanceProfilesForRole', 'reads which profiles contain the node role', ['ClusterSetup']],
  ['iam:ListRolePolicies', 'reads the policies of the node role', ['ClusterSetup']],
  ['iam:PassRole', 'gives nodes their role', LAUNCH],
  ['iam:RemoveRoleFromInstanceProfile', "changes the cluster's profiles", PROFILE_REMOVERS],
  ['iam:TagInstanceProfile', "tags the cluster's own profiles at creation", ['NodeClass']],
  ['lambda:GetAccountSettings', "reads whether the account has room for the intake's reservation", ['DeployCheck']],
  ['lambda:GetFunctionConfiguration', "reads the intake's token digests", SETUP],
  [
    'lambda:InvokeFunction',
    'has webhooks withdrawn and restored, or the cluster set up again',
    ['Sweep', 'WebhookControl'],
  ],
  ['lambda:UpdateFunctionConfiguration', "writes the intake's token digests", SETUP],
  ['logs:CreateLogStream', 'writes its own log', FUNCTIONS],
  ['logs:PutLogEvents', 'writes its own log', FUNCTIONS],
  ['pricing:GetProducts', 'reads on-demand prices', ['CatalogRefresh']],
  ['s3:GetObject', 'reads the price catalogue', [...PROVISION, 'Sweep', 'CatalogRefresh']],
  [
    's3:PutObject',
    'adds decisions or writes the price catalogue',
    ['Provisioning', 'Disruption', 'Sweep', 'CatalogRefresh'],
  ],
  ['secretsmanager:GetSecretValue', 'reads the webhook token', SETUP],
  ['secretsmanager:PutSecretValue', 'creates the next webhook token', SETUP],
  ['secretsmanager:UpdateSecretVersionStage', 'ends the old webhook token', SETUP],
  ['sqs:ChangeMessageVisibility', 'hides the messages that it works on', ['Provisioning', 'Disruption']],
  ['sqs:DeleteMessage', 'receives from its own queue', QUEUE_READERS],
  ['sqs:GetQueueAttributes', 'receives from its own queue', QUEUE_READERS],
  ['sqs:ReceiveMessage', 'receives from its own queue', QUEUE_READERS],
  [
    'sqs:SendMessage',
    'sends hints',
    FUNCTIONS.filter((name) => !['CatalogRefresh', 'DeployCheck', 'WebhookControl'].includes(name)),
  ],
  ['ssm:GetParameter', 'reads the public parameters of images', ['NodeClass']],
];

/** A stack has a node role of its own, or the options name roles. */
const withOwnRole = aTemplate();
const granted = (name: string): readonly string[] =>
  [template, withOwnRole].flatMap((stack) => allowed(rightsOf(stack, name), ''));

describe('each permission', () => {
  it.each(PERMISSIONS)('%s (%s) belongs to the functions that need it', (action, _, functions) => {
    const holders = FUNCTIONS.filter((name) => granted(name).includes(action));
    expect(holders.toSorted()).toEqual(functions.toSorted());
  });

  it('has a purpose in this table', () => {
    expect([...new Set(FUNCTIONS.flatMap(granted))].toSorted()).toEqual(PERMISSIONS.map(([action]) => action));
  });
});

describe('reserved instances', () => {
  it('are not read unless the options ask for it', () => {
    const READ = 'ec2:DescribeReservedInstances';
    const savingsPlans = '{savingsPlans: [{type: Compute, hourlyUsd: 1, discountPercent: 20}]}';

    for (const options of [{}, { committedCapacity: savingsPlans }]) {
      const usual = aTemplate(options);
      expect(FUNCTIONS.flatMap((name) => allowed(rightsOf(usual, name), READ))).toEqual([]);
    }
  });
});

describe('the rights that neither a resource nor a tag limits', () => {
  const OWN = /^<Snapshots|:access-entry\/demo\/\*$/;
  const isUnlimited = ({ resources, conditions }: ReturnType<typeof rightsOf>[number]): boolean =>
    resources.some((resource) => resource.endsWith('*') && !OWN.test(resource)) &&
    !/(Resource|Request)Tag/.test(JSON.stringify(conditions));

  it('are those of the threat model', () => {
    const page = readFileSync(new URL('../../docs/threat-model.md', import.meta.url), 'utf8');
    const [, table = ''] = /### What the rights do not limit\n(.*?)RBAC/s.exec(page) ?? [];
    const listed = [...table.matchAll(/`([a-z0-9]+:[A-Za-z]+)`/g)].map(([, action]) => action);
    const granted = FUNCTIONS.flatMap((name) => rightsOf(template, name))
      .filter(isUnlimited)
      .flatMap(({ actions }) => actions);

    expect(listed.toSorted()).toEqual([...new Set(granted)].toSorted());
  });
});

describe("the stack's roles", () => {
  const rolesOf = (context: Parameters<typeof aTemplate>[0]) => [
    ...propertiesIn(aTemplate(context), 'AWS::IAM::Role').values(),
  ];

  it('all have the permissions boundary and the path of the options, the node role included', () => {
    const permissionsBoundary = 'arn:aws:iam::123456789012:policy/boundary';
    const roles = rolesOf({ permissionsBoundary, rolePath: '/mortise/' });

    expect(roles.length).toBeGreaterThan(FUNCTIONS.length);
    expect(roles.filter((role) => role.PermissionsBoundary !== permissionsBoundary)).toEqual([]);
    expect(roles.filter((role) => role.Path !== '/mortise/')).toEqual([]);
  });

  it('have neither by default', () => {
    for (const role of rolesOf({})) {
      expect(role).not.toHaveProperty('PermissionsBoundary');
      expect(role).not.toHaveProperty('Path');
    }
  });
});

describe("a function's role", () => {
  it.each([...WORKERS, 'EventIntake'])('of %s has no action with a wildcard', (name) => {
    expect(allowed(rightsOf(template, name), '').filter((action) => action.includes('*'))).toEqual([]);
  });

  it('is a member of the Kubernetes group of its function alone, without an EKS access policy', () => {
    const entries = [...propertiesIn(template, 'AWS::EKS::AccessEntry')].filter(
      // The set-up of a release starts as an administrator.
      ([id]) => !id.startsWith('ClusterSetup'),
    );
    expect(Object.fromEntries(entries.map(([id, entry]) => [id, entry.KubernetesGroups]))).toEqual({
      ProvisioningAccessEntry: ['mortise:provisioning'],
      NodeLifecycleAccessEntry: ['mortise:node-lifecycle'],
      DisruptionAccessEntry: ['mortise:disruption'],
      InterruptionAccessEntry: ['mortise:interruption'],
      SweepAccessEntry: ['mortise:sweep'],
      NodeClassAccessEntry: ['mortise:node-class'],
      PollAccessEntry: ['mortise:poll'],
      WebhookControlAccessEntry: ['mortise:webhook-control'],
    });
    // The groups that have a ClusterRole.
    expect(entries.flatMap(([, entry]) => entry.KubernetesGroups).toSorted()).toEqual(
      [...FUNCTION_GROUPS, SETUP_GROUPS.webhookControl].toSorted(),
    );
    for (const [, entry] of entries) {
      expect(entry).toMatchObject({ ClusterName: 'demo', Type: 'STANDARD' });
      expect(entry).not.toHaveProperty('AccessPolicies');
    }
  });
});
