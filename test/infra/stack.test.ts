import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ClusterEvent } from '../../shared/model/events.ts';
import { METRICS } from '../../shared/model/metrics.ts';
import { aTemplate, rightsOf } from './fixture.ts';

const template = aTemplate();
const QUEUES = ['Plan', 'Disrupt', 'Claim', 'Sweep', 'Interruption', 'Class'] as const;

const resourcesSchema = z.record(
  z.string(),
  z.object({ Properties: z.record(z.string(), z.unknown()) }),
);

/** The properties of a type's resources, by logical id without its hash. */
function propertiesOf(type: string, from: Template = template) {
  const resources = Object.entries(resourcesSchema.parse(from.findResources(type)));
  return new Map(resources.map(([id, { Properties }]) => [id.slice(0, -8), Properties]));
}

const queue = (name: string) => propertiesOf('AWS::SQS::Queue').get(`Queues${name}`);
const fn = (name: string) => propertiesOf('AWS::Lambda::Function').get(`${name}Function`);

describe('records', () => {
  it('outlive the stack, and can be taken back to any second', () => {
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
        Replicas: [
          Match.objectLike({
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          }),
        ],
      },
    });
  });

  it('keep their place when the code changes: a new logical id would be a new, empty table', () => {
    const ids = [
      'AWS::DynamoDB::GlobalTable',
      'AWS::S3::Bucket',
      'AWS::SQS::Queue',
      'AWS::Lambda::Url',
      'AWS::SecretsManager::Secret',
    ].flatMap((type) => Object.keys(template.findResources(type)));
    expect(ids.toSorted()).toMatchInlineSnapshot(`
      [
        "EventIntakeFunctionFunctionUrl7F1B08B0",
        "EventIntakeToken6F421222",
        "PollDeadLetters50AFD946",
        "PollQueueC427BDA1",
        "QueuesClaimDeadLetters91FA46E0",
        "QueuesClaimE3AE46AD",
        "QueuesClass51F7C843",
        "QueuesClassDeadLetters98508F04",
        "QueuesDisruptBF3A8FB9",
        "QueuesDisruptDeadLetters5F7923AA",
        "QueuesInterruptionC963E38D",
        "QueuesInterruptionDeadLetters7241A3BE",
        "QueuesPlanB8DE20BD",
        "QueuesPlanDeadLetters8FAF4BA9",
        "QueuesSweep5C40A82A",
        "QueuesSweepDeadLettersB0C894E5",
        "SnapshotsD03D071C",
        "State1C20CC9A",
      ]
    `);
  });
});

describe('snapshots', () => {
  it('are encrypted, private, and gone after their time', () => {
    aTemplate({ snapshotRetentionDays: 7 }).hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
        ],
      },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      LifecycleConfiguration: {
        Rules: [Match.objectLike({ ExpirationInDays: 7, Status: 'Enabled' })],
      },
    });
  });

  it('travel over TLS alone', () => {
    template.hasResourceProperties('AWS::S3::BucketPolicy', refusingPlainText('s3:*'));
  });
});

const refusingPlainText = (Action: string) => ({
  PolicyDocument: {
    Statement: Match.arrayWith([
      Match.objectLike({
        Action,
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    ]),
  },
});

describe('queues', () => {
  it.each(QUEUES)('%s gives a hint up after five tries, keeps it for two weeks', (name) => {
    expect(queue(name)?.RedrivePolicy).toMatchObject({ maxReceiveCount: 5 });
    expect(queue(`${name}DeadLetters`)).toMatchObject({
      MessageRetentionPeriod: 14 * 24 * 60 * 60,
      ...(name === 'Plan' || name === 'Disrupt' ? { FifoQueue: true } : {}),
    });
  });

  it('are encrypted, and reached over TLS alone', () => {
    const all = [...propertiesOf('AWS::SQS::Queue').values()];
    // And the poll's, with its dead letters.
    expect(all).toHaveLength(2 * (QUEUES.length + 1));
    expect(all.filter(({ SqsManagedSseEnabled }) => SqsManagedSseEnabled !== true)).toEqual([]);
    template.resourcePropertiesCountIs(
      'AWS::SQS::QueuePolicy',
      refusingPlainText('sqs:*'),
      all.length,
    );
  });

  it.each([
    ['Plan', 'Provisioning', 120, 150],
    ['Disrupt', 'Disruption', 300, 330],
    ['Claim', 'NodeLifecycle', 60, 360],
    ['Sweep', 'Sweep', 60, 90],
    ['Interruption', 'Interruption', 10, 20],
    ['Class', 'NodeClass', 60, 90],
  ])('%s hides a message longer than its function runs', (name, worker, timeout, visibility) => {
    expect(fn(worker)?.Timeout).toBe(timeout);
    expect(queue(name)?.VisibilityTimeout).toBe(visibility);
  });

  it('of plans and disruptions are ordered, the others are not', () => {
    const ordered = QUEUES.filter((name) => queue(name)?.FifoQueue === true);
    expect(ordered).toEqual(['Plan', 'Disrupt']);
  });

  it('keep wake-ups for longer than they can be held back, and no notice for longer than an hour', () => {
    expect(queue('Sweep')?.MessageRetentionPeriod).toBe(60 * 60);
    expect(queue('Interruption')?.MessageRetentionPeriod).toBe(60 * 60);
  });

  it('hand a failed message back, and not its whole batch', () => {
    const mappings = [...propertiesOf('AWS::Lambda::EventSourceMapping').values()];
    // And the poll's.
    expect(mappings).toHaveLength(QUEUES.length + 1);
    for (const mapping of mappings) {
      expect(mapping).toMatchObject({
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
      // A window would be time that a spot notice does not have.
      expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    }
  });
});

describe('events', () => {
  it.each([
    ['aws.ec2', 'EC2 Spot Instance Interruption Warning'],
    ['aws.ec2', 'EC2 Instance Rebalance Recommendation'],
    ['aws.ec2', 'EC2 Instance State-change Notification'],
    ['aws.ec2', 'EC2 Capacity Reservation Instance Interruption Warning'],
    ['aws.health', 'AWS Health Event'],
  ])('SV-34: of %s reach the interruption queue: %s', (source, detailType) => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: Match.objectLike({ source: [source], 'detail-type': [detailType] }),
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^QueuesInterruption.{8}$'), 'Arn'] },
          DeadLetterConfig: Match.anyValue(),
          RetryPolicy: { MaximumEventAgeInSeconds: 600 },
        }),
      ],
    });
  });

  it('are sent by our rules and nobody else', () => {
    const policies = [...propertiesOf('AWS::SQS::QueuePolicy')];
    const statements = JSON.stringify(
      policies.find(([id]) => id === 'QueuesInterruptionPolicy')?.[1],
    );
    expect(statements.match(/events\.amazonaws\.com/g)).toHaveLength(5);
    expect(
      statements.match(/"ArnEquals":{"aws:SourceArn":{"Fn::GetAtt":\["Interrupt/g),
    ).toHaveLength(5);
  });

  it.each(['sweep', 'disrupt'])(
    'of the schedule come every minute, each told apart: %s',
    (topic) => {
      template.hasResourceProperties('AWS::Scheduler::Schedule', {
        ScheduleExpression: 'rate(1 minute)',
        State: 'ENABLED',
        Target: Match.objectLike({
          Input: `{"topic":"${topic}","tick":"<aws.scheduler.execution-id>"}`,
        }),
      });
    },
  );

  it('of the schedule are sent in the name of this account alone', () => {
    const roles = Object.values(template.findResources('AWS::IAM::Role'));
    const trusts = roles
      .map(({ Properties }) => JSON.stringify(Properties))
      .filter((text) => text.includes('scheduler.amazonaws.com'));
    expect(trusts).not.toEqual([]);
    for (const trust of trusts) {
      expect(trust).toContain('"aws:SourceAccount"');
      expect(trust).toContain('"aws:SourceArn"');
    }
  });
});

describe('the address of the hooks', () => {
  it('is public, and has both permissions that a public address needs', () => {
    template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE' });
    template.hasResourceProperties('AWS::Lambda::Permission', {
      Action: 'lambda:InvokeFunctionUrl',
      FunctionUrlAuthType: 'NONE',
      Principal: '*',
    });
    template.hasResourceProperties('AWS::Lambda::Permission', {
      Action: 'lambda:InvokeFunction',
      InvokedViaFunctionUrl: true,
      Principal: '*',
    });
  });

  it('is one of the VPC where the options name an endpoint there, and nowhere public', () => {
    const hookVpcEndpoint = 'vpce-0a1b2c3d4e5f60718';
    const closed = aTemplate({ hookVpcEndpoint });

    closed.resourceCountIs('AWS::Lambda::Url', 0);
    closed.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['PRIVATE'], VpcEndpointIds: [hookVpcEndpoint] },
      Policy: {
        Statement: [
          {
            Action: 'execute-api:Invoke',
            Condition: { StringEquals: { 'aws:SourceVpce': hookVpcEndpoint } },
            Effect: 'Allow',
            Principal: { AWS: '*' },
            Resource: 'execute-api:/hooks/POST/h/*',
          },
        ],
      },
    });
    closed.resourceCountIs('AWS::ApiGateway::Method', 1);
    const setup = propertiesOf('AWS::Lambda::Function', closed).get('ClusterSetupFunction');
    expect(setup?.Environment).toMatchObject({ Variables: { HOOKS_IN_VPC: 'yes' } });
    expect(JSON.stringify(setup?.Environment)).toContain(`-${hookVpcEndpoint}.execute-api.`);
  });

  it('ends in 256 random bits that no output shows', () => {
    template.hasResourceProperties('AWS::SecretsManager::Secret', {
      GenerateSecretString: {
        PasswordLength: 43,
        ExcludeCharacters: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
      },
    });
    expect(JSON.stringify(template.findOutputs('*'))).not.toContain('resolve:secretsmanager');
  });

  it('takes no capacity from the account, unless told to', () => {
    expect(fn('EventIntake')).not.toHaveProperty('ReservedConcurrentExecutions');
    const closed = propertiesOf('AWS::Lambda::Function', aTemplate({ intakeConcurrency: 0 }));
    expect(closed.get('EventIntakeFunction')?.ReservedConcurrentExecutions).toBe(0);
  });
});

describe('functions', () => {
  const NAMES = [
    'Provisioning',
    'NodeLifecycle',
    'Disruption',
    'Interruption',
    'Sweep',
    'NodeClass',
  ];

  it.each([...NAMES, 'EventIntake'])(
    '%s runs Node.js 24 on arm64, with a log that ends',
    (name) => {
      expect(fn(name)).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
      const log = propertiesOf('AWS::Logs::LogGroup').get(`${name}FunctionLog`);
      expect(log).toMatchObject({ RetentionInDays: 30 });
    },
  );

  it('SV-19: may wake themselves for as long as the state says so', () => {
    const allowed = [...NAMES, 'EventIntake'].filter((name) => fn(name)?.RecursiveLoop === 'Allow');
    expect(allowed).toEqual(['Provisioning', 'NodeLifecycle', 'Disruption', 'Sweep']);
  });

  it('know the API server from EKS, asked while deploying, or from the options', () => {
    const apiServer = { endpoint: 'https://api.example.com', certificateAuthority: 'LS0tCg==' };
    const told = aTemplate(apiServer);

    template.resourceCountIs('Custom::AWS', 1);
    told.resourceCountIs('Custom::AWS', 0);
    expect(
      propertiesOf('AWS::Lambda::Function', told).get('SweepFunction')?.Environment,
    ).toMatchObject({
      Variables: { CLUSTER_ENDPOINT: apiServer.endpoint, CLUSTER_CA: 'LS0tCg==' },
    });
  });

  it('learn in the table that clusters share, and reach its shared rows alone', () => {
    const sharing = aTemplate({ learnedTable: 'learned' });
    const functions = propertiesOf('AWS::Lambda::Function', sharing);
    expect(functions.get('ProvisioningFunction')?.Environment).toMatchObject({
      Variables: { LEARNED_TABLE: 'learned' },
    });
    const rights = rightsOf(sharing, 'Provisioning').filter(({ resources }) =>
      resources.some((resource) => resource.endsWith(':table/learned')),
    );
    expect(rights).toEqual([
      {
        actions: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:PutItem'],
        resources: ['arn:<AWS::Partition>:dynamodb:<AWS::Region>:<AWS::AccountId>:table/learned'],
        conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['Shared#learned'] } },
      },
    ]);
  });

  it('know where Services get their addresses, if the options say so', () => {
    const serviceCidr = '10.100.0.0/16';
    const functions = propertiesOf('AWS::Lambda::Function', aTemplate({ serviceCidr }));
    expect(functions.get('NodeClassFunction')?.Environment).toMatchObject({
      Variables: { SERVICE_CIDR: serviceCidr },
    });
  });
});

describe('alarms', () => {
  const names = [...propertiesOf('AWS::CloudWatch::Alarm').keys()].map((id) => id.slice(6));

  it('ring for pods that wait, given-up hints, failures, slow hooks, silence, and what needs a person', () => {
    const functions = ['eventIntake', 'provisioning', 'nodeLifecycle', 'disruption', 'sweep'];
    const others = ['interruption', 'nodeClass', 'catalogRefresh', 'poll', 'clusterSetup'];
    expect(names.toSorted()).toEqual(
      [
        ...[...QUEUES, 'Poll'].map((name) => `${name.toLowerCase()}DeadLetters`),
        ...['planAge', 'interruptionAge', 'SweepMissing', 'ClusterUnreadable'],
        ...['PodsWait', 'NodesDoNotStart', 'LaunchesFail', 'TurnsFail', 'Capped'],
        ...['HooksWithdrawn', 'HooksAreSlow', 'StandBy', 'Unexplained'],
        ...[...functions, ...others].flatMap((name) => [`${name}Errors`, `${name}Throttles`]),
      ].toSorted(),
    );
  });

  it('are explained in the manual, each', () => {
    const manual = readFileSync('docs/operations.md', 'utf8');
    const families = [/DeadLetters$/, /Errors$/, /Throttles$/];
    const own = names.filter((name) => !families.some((family) => family.test(name)));
    expect(own.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
  });

  it('take three minutes without a sweep for a fault', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'Invocations',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      EvaluationPeriods: 3,
      Period: 60,
      TreatMissingData: 'breaching',
    });
  });

  it('go to the topic of the options, all of them', () => {
    const topic = 'arn:aws:sns:us-east-1:123456789012:alarms';
    const alarms = [
      ...propertiesOf('AWS::CloudWatch::Alarm', aTemplate({ alarmTopicArn: topic })).values(),
    ];
    expect(
      alarms.filter(({ AlarmActions }) => JSON.stringify(AlarmActions) !== `["${topic}"]`),
    ).toEqual([]);
  });

  it('stand beside one dashboard', () => {
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
  });

  it('and dashboard go by figures that the functions send to CloudWatch', () => {
    const written = JSON.stringify(template.toJSON());
    const named = new Set(written.match(/\b(karpenter|mortise)_[a-z_]+\b/g));
    const sent = Object.entries(METRICS).flatMap(([name, { cloudWatch }]) =>
      cloudWatch === 'none' ? [] : [name],
    );
    expect(named.size).toBeGreaterThan(15);
    expect([...named].filter((name) => !sent.includes(name))).toEqual([]);
  });

  it('go by events that there are', () => {
    const lines = propertiesOf('AWS::Logs::MetricFilter').values();
    const kinds = [...lines].map(({ FilterPattern }) => String(FilterPattern).match(/"(.+)"/)?.[1]);
    const known: readonly ClusterEvent['kind'][] = ['stand-by', 'unexplained', 'capped'];
    expect(kinds.toSorted()).toEqual(known.toSorted());
  });
});

describe('the role of nodes', () => {
  it('is let into the cluster, under a name that manifests can give', () => {
    template.hasResourceProperties('AWS::IAM::Role', {
      RoleName: { 'Fn::Join': ['', ['MortiseNode-demo-', { Ref: 'AWS::Region' }]] },
      AssumeRolePolicyDocument: {
        Statement: [Match.objectLike({ Principal: { Service: 'ec2.amazonaws.com' } })],
      },
    });
    template.hasResourceProperties('AWS::EKS::AccessEntry', {
      ClusterName: 'demo',
      PrincipalArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^NodeRole'), 'Arn'] },
      Type: 'EC2_LINUX',
    });
  });

  it('is nameless where the name would be longer than IAM takes', () => {
    const long = aTemplate({ cluster: 'c'.repeat(100) });
    const [role] = Object.values(
      long.findResources('AWS::IAM::Role', {
        Properties: { Description: Match.stringLikeRegexp('^Nodes of') },
      }),
    );
    expect(role?.Properties).not.toHaveProperty('RoleName');
  });

  it('is none of ours where the options name roles', () => {
    const given = aTemplate({ nodeRoles: 'KarpenterNodeRole-demo' });
    expect(
      given.findResources('AWS::EKS::AccessEntry', { Properties: { Type: 'EC2_LINUX' } }),
    ).toEqual({});
  });
});

describe('saved queries', () => {
  it('lie together under the name of the cluster, and read every log', () => {
    const queries = [...propertiesOf('AWS::Logs::QueryDefinition').values()];
    const logs = Object.keys(template.findResources('AWS::Logs::LogGroup')).length;
    expect(queries.length).toBeGreaterThan(5);
    for (const { Name, LogGroupNames } of queries) {
      expect(Name).toMatch(/^Mortise\/demo\/[A-Z]/);
      expect(LogGroupNames).toHaveLength(logs);
    }
  });
});

describe('a cluster behind closed doors', () => {
  const network = {
    functionSubnets: 'subnet-0a0a0a0a,subnet-0b0b0b0b',
    functionSecurityGroups: 'sg-0c0c0c0c',
  };
  const inside = propertiesOf('AWS::Lambda::Function', aTemplate(network));

  it('is reached from its VPC by whoever talks to it, and by nobody else', () => {
    const there = [...inside].flatMap(([id, { VpcConfig }]) => (VpcConfig ? [id] : []));
    expect(there).toContain('ProvisioningFunction');
    expect(there).not.toContain('EventIntakeFunction');
    expect(inside.get('ProvisioningFunction')?.VpcConfig).toEqual({
      SubnetIds: ['subnet-0a0a0a0a', 'subnet-0b0b0b0b'],
      SecurityGroupIds: ['sg-0c0c0c0c'],
    });
  });

  it('lends functions the right to make interfaces to Lambda alone, not to their code', () => {
    aTemplate(network).hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Action: Match.arrayWith(['ec2:CreateNetworkInterface']),
            Condition: { ArnLike: { 'lambda:SourceFunctionArn': Match.anyValue() } },
          }),
        ]),
      },
    });
  });
});

describe('a key of the account', () => {
  const arn = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-0000-4000-8000-000000000000';
  const locked = aTemplate({ account: '123456789012', region: 'eu-west-1', kmsKeyArn: arn });

  it('encrypts table, queues, snapshots and logs', () => {
    const queues = [...propertiesOf('AWS::SQS::Queue', locked).values()];
    const logs = [...propertiesOf('AWS::Logs::LogGroup', locked).values()];
    expect(queues.filter(({ KmsMasterKeyId }) => KmsMasterKeyId !== arn)).toEqual([]);
    expect(logs.filter(({ KmsKeyId }) => KmsKeyId !== arn)).toEqual([]);
    locked.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
    });
    expect(JSON.stringify(propertiesOf('AWS::S3::Bucket', locked).get('Snapshots'))).toContain(arn);
  });

  it('may be used by every function', () => {
    for (const name of ['EventIntake', 'Provisioning', 'Sweep']) {
      const rights = rightsOf(locked, name).filter(({ resources }) => resources.includes(arn));
      expect(rights.flatMap(({ actions }) => actions)).toContain('kms:GenerateDataKey');
    }
  });
});
