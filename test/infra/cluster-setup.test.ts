import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { allowed, aTemplate, rightsOf } from './fixture.ts';

const template = aTemplate();

const resourceSchema = z.object({
  Properties: z.record(z.string(), z.unknown()),
  DependsOn: z.array(z.string()).default([]),
});

/** Finds the single resource of a type whose logical id starts with the prefix. */
function resource(type: string, prefix: string, from = template) {
  const matches = Object.entries(from.findResources(type)).filter(([id]) => id.startsWith(prefix));
  expect(matches).toHaveLength(1);
  return resourceSchema.parse(matches[0]?.[1]);
}

const environmentOf = (name: string, from = template) =>
  z
    .object({ Variables: z.record(z.string(), z.unknown()) })
    .parse(resource('AWS::Lambda::Function', `${name}Function`, from).Properties.Environment).Variables;

const codeSchema = z.object({ S3Bucket: z.unknown(), S3Key: z.string() });

/** The code reference that the custom resource depends on. */
function codeOf(name: string): object {
  const { Code } = resource('AWS::Lambda::Function', `${name}Function`).Properties;
  const { S3Bucket, S3Key } = codeSchema.parse(Code);
  return { s3Bucket: S3Bucket, s3Key: S3Key };
}

const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

describe('the cluster-setup resource', () => {
  const { DependsOn, Properties } = resource('Custom::MortiseClusterSetup', 'ClusterSetup');

  it('is deleted first, while everything that its removal needs still exists', () => {
    const kinds = [
      'ClusterSetupAccess',
      'ClusterSetupFunction',
      'EventIntakeFunctionFunctionUrl',
      'EventIntakeFunctioninvokefunction',
      'EventIntakeToken',
      'ProvisioningAccessEntry',
      'SweepAccessEntry',
      'PollAccessEntry',
    ];
    for (const kind of kinds) {
      expect(DependsOn.filter((id) => id.startsWith(kind))).not.toEqual([]);
    }
  });

  it("runs again if its code or the intake's changes", () => {
    expect(Object.keys(Properties)).toEqual(['ServiceToken', 'ServiceTimeout', 'setup', 'intake']);
    expect(Properties).toMatchObject({
      ServiceTimeout: '360',
      setup: { code: codeOf('ClusterSetup') },
      intake: { code: codeOf('EventIntake') },
    });
  });

  it("runs again after each change for which CloudFormation rewrites the intake's environment", () => {
    const { Properties: ofFunction } = resource('AWS::Lambda::Function', 'EventIntakeFunction');
    const apart = ['Role', 'Tags', 'ReservedConcurrentExecutions', 'RecursiveLoop'];
    const written = Object.keys(ofFunction).filter((name) => !apart.includes(name));

    expect(written).toEqual(expect.arrayContaining(['MemorySize', 'Timeout', 'Runtime']));
    const { intake } = z.object({ intake: z.record(z.string(), z.unknown()) }).parse(Properties);
    expect(Object.keys(intake).map(capitalised)).toEqual(expect.arrayContaining(written));
  });

  it('returns the chosen event source and the reason', () => {
    const outputs = Object.keys(template.findOutputs('*'));
    expect(outputs).toEqual(expect.arrayContaining(['EventSource', 'EventSourceWhy']));
  });

  it('runs before the code of any function that uses the cluster changes, so that it grants their rights first', () => {
    const [setup] = Object.keys(template.findResources('Custom::MortiseClusterSetup'));
    const inCluster = [
      ...['Provisioning', 'NodeLifecycle', 'Disruption', 'Interruption', 'Sweep', 'NodeClass'],
      ...['PollWorker', 'WebhookControl'],
    ];
    const late = inCluster.filter((name) =>
      resource('AWS::Lambda::Function', `${name}Function`).DependsOn.includes(setup ?? ''),
    );
    expect(late).toEqual(inCluster);
  });

  it('is created before the schedules start and deleted after they stop', () => {
    const [, sweep] =
      Object.entries(template.findResources('AWS::Scheduler::Schedule')).find(([id]) =>
        id.startsWith('SchedulesSweep'),
      ) ?? [];
    const [setup] = Object.keys(template.findResources('Custom::MortiseClusterSetup'));
    expect(sweep?.DependsOn).toContain(setup);
  });

  it.each([
    ['ClusterSetupRepair', '{"action":"repair"}'],
    ['WebhookControlKeep', '{"action":"keep"}'],
  ])('is repaired every hour: %s', (schedule, Input) => {
    expect(resource('AWS::Scheduler::Schedule', schedule).Properties).toMatchObject({
      ScheduleExpression: 'rate(1 hour)',
      Target: { Input },
    });
  });

  it('reads the network settings from EKS, unless the cluster is not managed by EKS', () => {
    const given = { endpoint: 'https://api.example.com', certificateAuthority: 'LS0tCg==' };
    expect(environmentOf('ClusterSetup').CLUSTER_NETWORK).toBe('ask');
    expect(environmentOf('ClusterSetup', aTemplate(given)).CLUSTER_NETWORK).toBe('unknown');
  });

  it("receives the source of the options, the address of the hooks, and the functions' network", () => {
    const properties = aTemplate({
      eventSource: 'hook',
      hookAddress: 'https://hooks.example.com/',
      hookCertificateAuthority: 'LS0tCg==',
      functionSubnets: 'subnet-0a0a0a0a',
      functionSecurityGroups: 'sg-0a0a0a0a',
    });
    expect(environmentOf('ClusterSetup', properties)).toMatchObject({
      EVENT_SOURCE: 'hook',
      HOOK_ADDRESS: 'https://hooks.example.com/',
      HOOK_CA: 'LS0tCg==',
      FUNCTIONS_IN_VPC: 'yes',
    });
    expect(environmentOf('ClusterSetup')).toMatchObject({ EVENT_SOURCE: 'auto', HOOK_CA: '' });
  });
});

describe('the cluster-setup function', () => {
  const rights = rightsOf(template, 'ClusterSetup');

  it('has few rights, and on all resources only those that list or that tags limit', () => {
    expect(allowed(rights, '')).toEqual([
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'ec2:DescribeInstances',
      'eks:DeleteAccessEntry',
      'eks:DescribeCluster',
      'eks:DisassociateAccessPolicy',
      'eks:ListAssociatedAccessPolicies',
      'iam:DeleteInstanceProfile',
      'iam:DeleteRole',
      'iam:DeleteRolePolicy',
      'iam:DetachRolePolicy',
      'iam:ListAttachedRolePolicies',
      'iam:ListInstanceProfiles',
      'iam:ListInstanceProfilesForRole',
      'iam:ListRolePolicies',
      'iam:RemoveRoleFromInstanceProfile',
      'lambda:GetFunctionConfiguration',
      'lambda:UpdateFunctionConfiguration',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'secretsmanager:GetSecretValue',
      'secretsmanager:PutSecretValue',
      'secretsmanager:UpdateSecretVersionStage',
      'sqs:SendMessage',
    ]);
    const wide = rights.filter(({ resources }) => resources.some((name) => name.endsWith('*')));
    expect(wide.flatMap(({ actions }) => actions).toSorted()).toEqual([
      'ec2:DescribeInstances',
      'iam:DeleteInstanceProfile',
      'iam:ListInstanceProfiles',
      'iam:RemoveRoleFromInstanceProfile',
    ]);
  });

  it('may delete the node role of the stack and its access entry, and no others', () => {
    const about = rights.filter(({ actions }) =>
      actions.some((action) => /iam:\w+Role|eks:DeleteAccessEntry/.test(action)),
    );
    expect(about.map(({ actions, resources }) => [actions.at(-1), resources])).toEqual([
      ['iam:DeleteInstanceProfile', [expect.stringMatching(/:instance-profile\/karpenter\/<AWS::Region>\/demo\/\*$/)]],
      ['iam:DeleteRole', [expect.stringMatching(/^<NodeRole[0-9A-F]{8}>$/)]],
      ['eks:DeleteAccessEntry', [expect.stringMatching(/^<NodeRoleEntry[0-9A-F]{8}>$/)]],
    ]);
    const given = rightsOf(aTemplate({ nodeRoles: 'KarpenterNodeRole-demo' }), 'ClusterSetup');
    expect(allowed(given, '')).not.toContain('iam:DeleteRole');
  });

  it('knows the only stack whose CloudFormation events it accepts', () => {
    expect(environmentOf('ClusterSetup').STACK_ID).toEqual({ Ref: 'AWS::StackId' });
  });

  it('may end its own administration of the cluster, and not obtain it again', () => {
    const about = rights.filter(({ actions }) => actions.some((action) => action.includes('AccessPolic')));
    expect(about).toEqual([
      {
        actions: ['eks:ListAssociatedAccessPolicies', 'eks:DisassociateAccessPolicy'],
        resources: [expect.stringMatching(/^<ClusterSetupAccess[0-9A-F]{8}>$/)],
        conditions: {},
      },
    ]);
  });

  it('has a new role and a new access entry for each version of its code', () => {
    const { Role } = resource('AWS::Lambda::Function', 'ClusterSetupFunction').Properties;
    const { PrincipalArn } = resource('AWS::EKS::AccessEntry', 'ClusterSetupAccess').Properties;
    const suffixOf = (id: string | undefined) => id?.slice(-8);
    const [role] = Object.keys(template.findResources('AWS::IAM::Role')).filter((id) =>
      id.startsWith('ClusterSetupFunctionRole'),
    );
    const [entry] = Object.keys(template.findResources('AWS::EKS::AccessEntry')).filter((id) =>
      id.startsWith('ClusterSetupAccess'),
    );

    expect(Role).toEqual({ 'Fn::GetAtt': [role, 'Arn'] });
    expect(PrincipalArn).toEqual(Role);
    expect(suffixOf(role)).toBe(suffixOf(entry));
    const code = createHash('sha256')
      .update(JSON.stringify(codeOf('ClusterSetup')))
      .digest('hex');
    expect(suffixOf(role)).toBe(code.slice(0, 8).toUpperCase());
  });

  it('is the only administrator of the cluster, in the group of its own rights', () => {
    const entries = Object.entries(template.findResources('AWS::EKS::AccessEntry'));
    const withPolicies = entries.filter(([, entry]) => {
      const { Properties } = resourceSchema.parse(entry);
      return Properties.AccessPolicies !== undefined;
    });
    expect(withPolicies.map(([id]) => id)).toEqual([expect.stringMatching(/^ClusterSetupAccess.{8}$/)]);
    expect(resource('AWS::EKS::AccessEntry', 'ClusterSetup').Properties).toMatchObject({
      AccessPolicies: [{ AccessScope: { Type: 'cluster' } }],
      KubernetesGroups: ['mortise:cluster-setup'],
    });
  });

  it('and webhook control alone can read the token: the intake is deployed without one', () => {
    expect(environmentOf('EventIntake').HOOK_DIGESTS).toBe('');
    expect(JSON.stringify(template.toJSON())).not.toContain('resolve:secretsmanager');
  });

  it('is called by webhook control, which the sweep calls', () => {
    const calls = (name: string) =>
      rightsOf(template, name)
        .filter(({ actions }) => actions.includes('lambda:InvokeFunction'))
        .flatMap(({ resources }) => resources);
    expect(calls('WebhookControl')).toEqual([expect.stringMatching(/^<ClusterSetupFunction[0-9A-F]{8}>$/)]);
    expect(calls('Sweep')).toEqual([expect.stringMatching(/^<WebhookControlFunction[0-9A-F]{8}>$/)]);
    expect(allowed(rightsOf(template, 'Sweep'), 'lambda:')).toEqual(['lambda:InvokeFunction']);
    expect(allowed(rightsOf(template, 'Sweep'), 'cloudwatch:')).toEqual(['cloudwatch:GetMetricStatistics']);
    expect(Object.keys(environmentOf('Sweep'))).toEqual(
      expect.arrayContaining(['POLL_QUEUE', 'INTAKE_FUNCTION', 'WEBHOOK_CONTROL_FUNCTION']),
    );
  });
});

describe('the poll loop', () => {
  const rights = rightsOf(template, 'PollWorker');

  it('may loop as long as its recorded state allows', () => {
    expect(resource('AWS::Lambda::Function', 'PollWorkerFunction').Properties).toMatchObject({
      RecursiveLoop: 'Allow',
      Timeout: 20,
    });
    expect(resource('AWS::SQS::Queue', 'PollQueue').Properties).toMatchObject({
      VisibilityTimeout: 50,
      MessageRetentionPeriod: 3600,
      RedrivePolicy: { maxReceiveCount: 5 },
    });
  });

  it('may only look and send hints', () => {
    expect(allowed(rights, '').filter((action) => !action.startsWith('logs:'))).toEqual([
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ReceiveMessage',
      'sqs:SendMessage',
    ]);
    expect(resource('AWS::EKS::AccessEntry', 'PollAccess').Properties).toMatchObject({
      KubernetesGroups: ['mortise:poll'],
    });
  });
});
