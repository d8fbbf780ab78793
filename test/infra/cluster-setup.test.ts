import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { allowed, aTemplate, rightsOf } from './fixture.ts';

const template = aTemplate();

const resourceSchema = z.object({
  Properties: z.record(z.string(), z.unknown()),
  DependsOn: z.array(z.string()).default([]),
});

/** The one resource of a type whose logical id begins so. */
function resource(type: string, prefix: string, from = template) {
  const found = Object.entries(from.findResources(type)).filter(([id]) => id.startsWith(prefix));
  expect(found).toHaveLength(1);
  return resourceSchema.parse(found[0]?.[1]);
}

const environmentOf = (name: string, from = template) =>
  z
    .object({ Variables: z.record(z.string(), z.unknown()) })
    .parse(resource('AWS::Lambda::Function', `${name}Function`, from).Properties.Environment)
    .Variables;

const codeSchema = z.object({ S3Bucket: z.unknown(), S3Key: z.string() });

/** As the custom resource is told of it. */
function codeOf(name: string): object {
  const { Code } = resource('AWS::Lambda::Function', `${name}Function`).Properties;
  const { S3Bucket, S3Key } = codeSchema.parse(Code);
  return { s3Bucket: S3Bucket, s3Key: S3Key };
}

const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

describe('the set-up of the cluster', () => {
  const { DependsOn, Properties } = resource('Custom::MortiseClusterSetup', 'ClusterSetup');

  it('is taken away first: while it goes, all that it needs is still there', () => {
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

  it('runs again when its code or that of the intake is another', () => {
    expect(Object.keys(Properties)).toEqual(['ServiceToken', 'ServiceTimeout', 'setup', 'intake']);
    expect(Properties).toMatchObject({
      ServiceTimeout: '360',
      setup: { code: codeOf('ClusterSetup') },
      intake: { code: codeOf('EventIntake') },
    });
  });

  it('runs again whatever it is for which CloudFormation writes the settings of the intake anew', () => {
    const { Properties: ofFunction } = resource('AWS::Lambda::Function', 'EventIntakeFunction');
    const apart = ['Role', 'Tags', 'ReservedConcurrentExecutions', 'RecursiveLoop'];
    const written = Object.keys(ofFunction).filter((name) => !apart.includes(name));

    expect(written).toEqual(expect.arrayContaining(['MemorySize', 'Timeout', 'Runtime']));
    const { intake } = z.object({ intake: z.record(z.string(), z.unknown()) }).parse(Properties);
    expect(Object.keys(intake).map(capitalised)).toEqual(expect.arrayContaining(written));
  });

  it('tells which source was chosen, and why', () => {
    const outputs = Object.keys(template.findOutputs('*'));
    expect(outputs).toEqual(expect.arrayContaining(['EventSource', 'EventSourceWhy']));
  });

  it('is done before anything looks at the cluster, and undone after the last look', () => {
    const [, sweep] =
      Object.entries(template.findResources('AWS::Scheduler::Schedule')).find(([id]) =>
        id.startsWith('SchedulesSweep'),
      ) ?? [];
    const [setup] = Object.keys(template.findResources('Custom::MortiseClusterSetup'));
    expect(sweep?.DependsOn).toContain(setup);
  });

  it('is looked after every hour', () => {
    expect(resource('AWS::Scheduler::Schedule', 'ClusterSetupKeep').Properties).toMatchObject({
      ScheduleExpression: 'rate(1 hour)',
      Target: { Input: '{"action":"keep"}' },
    });
  });

  it('asks EKS how the cluster is connected, unless it is no cluster of EKS', () => {
    const given = { endpoint: 'https://api.example.com', certificateAuthority: 'LS0tCg==' };
    expect(environmentOf('ClusterSetup').CLUSTER_NETWORK).toBe('ask');
    expect(environmentOf('ClusterSetup', aTemplate(given)).CLUSTER_NETWORK).toBe('unknown');
  });

  it('knows the source of the options, the address of the hooks, and where functions run', () => {
    const told = aTemplate({
      eventSource: 'hook',
      hookAddress: 'https://hooks.example.com/',
      hookCertificateAuthority: 'LS0tCg==',
      functionSubnets: 'subnet-0a0a0a0a',
      functionSecurityGroups: 'sg-0a0a0a0a',
    });
    expect(environmentOf('ClusterSetup', told)).toMatchObject({
      EVENT_SOURCE: 'hook',
      HOOK_ADDRESS: 'https://hooks.example.com/',
      HOOK_CA: 'LS0tCg==',
      FUNCTIONS_IN_VPC: 'yes',
    });
    expect(environmentOf('ClusterSetup')).toMatchObject({ EVENT_SOURCE: 'auto', HOOK_CA: '' });
  });
});

describe('the function that sets up', () => {
  const rights = rightsOf(template, 'ClusterSetup');

  it('may do nothing in EC2, and little elsewhere, each on one resource', () => {
    expect(allowed(rights, '')).toEqual([
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'eks:DescribeCluster',
      'lambda:GetFunctionConfiguration',
      'lambda:UpdateFunctionConfiguration',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'secretsmanager:GetSecretValue',
      'secretsmanager:PutSecretValue',
      'secretsmanager:UpdateSecretVersionStage',
      'sqs:SendMessage',
    ]);
    expect(rights.flatMap(({ resources }) => resources).filter((name) => name === '*')).toEqual([]);
  });

  it('is the only administrator of the cluster', () => {
    const entries = Object.entries(template.findResources('AWS::EKS::AccessEntry'));
    const withPolicies = entries.filter(([, entry]) => {
      const { Properties } = resourceSchema.parse(entry);
      return Properties.AccessPolicies !== undefined;
    });
    expect(withPolicies.map(([id]) => id)).toEqual([
      expect.stringMatching(/^ClusterSetupAccess.{8}$/),
    ]);
    expect(resource('AWS::EKS::AccessEntry', 'ClusterSetup').Properties).toMatchObject({
      AccessPolicies: [{ AccessScope: { Type: 'cluster' } }],
    });
  });

  it('alone can read the token: the intake is deployed without any', () => {
    expect(environmentOf('EventIntake').HOOK_DIGESTS).toBe('');
    expect(JSON.stringify(template.toJSON())).not.toContain('resolve:secretsmanager');
  });

  it('is called by the sweep, which may see what hooks cost, and by one schedule', () => {
    expect(allowed(rightsOf(template, 'Sweep'), 'lambda:')).toEqual(['lambda:InvokeFunction']);
    expect(allowed(rightsOf(template, 'Sweep'), 'cloudwatch:')).toEqual([
      'cloudwatch:GetMetricStatistics',
    ]);
    expect(Object.keys(environmentOf('Sweep'))).toEqual(
      expect.arrayContaining(['POLL_QUEUE', 'INTAKE_FUNCTION', 'SETUP_FUNCTION']),
    );
  });
});

describe('the poll', () => {
  const rights = rightsOf(template, 'PollWorker');

  it('SV-19: may go round for as long as its state says so', () => {
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

  it('looks and tells, and does nothing', () => {
    expect(allowed(rights, '').filter((action) => !action.startsWith('logs:'))).toEqual([
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:GetQueueUrl',
      'sqs:ReceiveMessage',
      'sqs:SendMessage',
    ]);
    expect(resource('AWS::EKS::AccessEntry', 'PollAccess').Properties).toMatchObject({
      KubernetesGroups: ['mortise:reader'],
    });
  });
});
