import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import {
  allowed,
  aTemplate,
  type Context,
  denialsOf,
  propertiesIn,
  refusingPlainText,
  rightsOf,
  WORKERS,
} from './fixture.ts';

const template = aTemplate();
/** Returns the properties of a type's resources by logical id without its hash. */
const propertiesOf = (type: string, from: Template = template) => propertiesIn(from, type);
const fn = (name: string) => propertiesOf('AWS::Lambda::Function').get(`${name}Function`);

describe('records', () => {
  it('outlive the stack, but not a failed first deployment, and support point-in-time recovery', () => {
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'RetainExceptOnCreate',
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
            // Otherwise no rollback could delete it.
            DeletionProtectionEnabled: Match.absent(),
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          }),
        ],
      },
    });
  });

  it('keep their logical id: a new one would create a new, empty table', () => {
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
  it('are encrypted, private, and expire', () => {
    aTemplate({ snapshotRetentionDays: 7 }).hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
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

  it('accept TLS only', () => {
    template.hasResourceProperties('AWS::S3::BucketPolicy', refusingPlainText('s3:*'));
  });
});

describe('the address of the hooks', () => {
  it('is public, with both permissions that a function URL needs', () => {
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

  it('is a private API if the options name an endpoint, without a public address', () => {
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

  it.each<Context>([
    { eventSource: 'poll' },
    { eventSource: 'controller' },
    { account: '123456789012', region: 'eu-south-2' },
  ])('does not exist, nor do its function and token, if nothing calls it: %j', (context) => {
    const silent = aTemplate(context);
    silent.resourceCountIs('AWS::Lambda::Url', 0);
    silent.resourceCountIs('AWS::SecretsManager::Secret', 0);
    silent.resourceCountIs('AWS::ApiGateway::RestApi', 0);
    const text = JSON.stringify(silent.toJSON());
    expect(text).not.toMatch(/"Principal":"\*"|InvokeFunctionUrl|secretsmanager:|EventIntake/);
    const names = [...propertiesOf('AWS::Lambda::Function', silent).keys()];
    expect(names).not.toContain('DeployCheckFunction');
    expect(names).toContain('PollWorkerFunction');
    expect(allowed(rightsOf(silent, 'Sweep'), 'cloudwatch:')).toEqual([]);
    expect(Object.keys(silent.findOutputs('*'))).not.toContain('HookAddress');
  });

  it('is that of the options where Lambda has no function URLs', () => {
    const own = aTemplate({
      account: '123456789012',
      region: 'eu-south-2',
      hookAddress: 'https://hooks.example.com/',
    });
    own.resourceCountIs('AWS::Lambda::Url', 0);
    const setup = propertiesOf('AWS::Lambda::Function', own).get('ClusterSetupFunction');
    expect(setup?.Environment).toMatchObject({
      Variables: { HOOK_ADDRESS: 'https://hooks.example.com/', EVENT_SOURCE: 'auto' },
    });
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

  it('reserves ten concurrent calls by default, so that a flood uses up neither money nor the account', () => {
    expect(fn('EventIntake')?.ReservedConcurrentExecutions).toBe(10);
  });

  it('is switched off by a concurrency of 0, and reserves nothing with none', () => {
    const intakeOf = (intakeConcurrency: number | string) =>
      propertiesOf('AWS::Lambda::Function', aTemplate({ intakeConcurrency })).get('EventIntakeFunction');
    expect(intakeOf(0)?.ReservedConcurrentExecutions).toBe(0);
    expect(intakeOf('none')).not.toHaveProperty('ReservedConcurrentExecutions');
  });
});

describe('functions', () => {
  it.each([...WORKERS, 'EventIntake'])('%s runs Node.js 24 on arm64, with a log that expires', (name) => {
    expect(fn(name)).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    const log = propertiesOf('AWS::Logs::LogGroup').get(`${name}FunctionLog`);
    expect(log).toMatchObject({ RetentionInDays: 30 });
  });

  it("may send messages to themselves, without Lambda's loop detection", () => {
    const allowed = [...WORKERS, 'EventIntake'].filter((name) => fn(name)?.RecursiveLoop === 'Allow');
    expect(allowed).toEqual(['Provisioning', 'NodeLifecycle', 'Disruption', 'Sweep']);
  });

  it("get the API server's address from EKS at deployment, or from the options", () => {
    const apiServer = { endpoint: 'https://api.example.com', certificateAuthority: 'LS0tCg==' };
    const environment = aTemplate(apiServer);

    template.resourceCountIs('Custom::AWS', 1);
    environment.resourceCountIs('Custom::AWS', 0);
    expect(propertiesOf('AWS::Lambda::Function', environment).get('SweepFunction')?.Environment).toMatchObject({
      Variables: { CLUSTER_ENDPOINT: apiServer.endpoint, CLUSTER_CA: 'LS0tCg==' },
    });
  });

  it('record decisions without names if they are told to, as does the controller by the output', () => {
    const redacting = aTemplate({ redactNames: 'true' });
    const environment = propertiesOf('AWS::Lambda::Function', redacting).get('ProvisioningFunction')?.Environment;

    expect(environment).toMatchObject({ Variables: { REDACT_NAMES: 'true' } });
    redacting.hasOutput('RedactNames', { Value: 'true' });
  });

  it('write debug lines if they are named, and no other function does', () => {
    const functions = propertiesOf('AWS::Lambda::Function', aTemplate({ debugFunctions: 'provisioning,sweep' }));
    const debugged = [...functions].flatMap(([id, { Environment }]) =>
      JSON.stringify(Environment ?? {}).includes('"POWERTOOLS_LOG_LEVEL":"DEBUG"') ? [id] : [],
    );

    expect(debugged.toSorted()).toEqual(['ProvisioningFunction', 'SweepFunction']);
  });

  it('share learned facts through the shared table, limited to its shared rows', () => {
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

  it('receive the Service CIDR if the options set it', () => {
    const serviceCidr = '10.100.0.0/16';
    const functions = propertiesOf('AWS::Lambda::Function', aTemplate({ serviceCidr }));
    expect(functions.get('NodeClassFunction')?.Environment).toMatchObject({
      Variables: { SERVICE_CIDR: serviceCidr },
    });
  });
});

describe('the node role', () => {
  it('has an access entry, and a name that manifests can use', () => {
    template.hasResourceProperties('AWS::IAM::Role', {
      RoleName: {
        'Fn::Join': ['', ['MortiseNode-demo-', Match.objectLike({ 'Fn::Select': Match.anyValue() })]],
      },
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

  it('may assign addresses in IPv6 clusters, by a policy that stays with the role', () => {
    template.hasResourceProperties('AWS::IAM::Role', {
      Description: 'Nodes of the EKS cluster demo',
      Policies: [
        {
          PolicyDocument: {
            Statement: [Match.objectLike({ Action: 'ec2:AssignIpv6Addresses', Effect: 'Allow' })],
          },
        },
      ],
    });
  });

  it('outlives the stack with its access entry, unless the set-up deletes both because no node uses them', () => {
    const retained = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };
    template.hasResource('AWS::IAM::Role', {
      ...retained,
      Properties: { Description: 'Nodes of the EKS cluster demo' },
    });
    template.hasResource('AWS::EKS::AccessEntry', {
      ...retained,
      Properties: { Type: 'EC2_LINUX' },
    });
    expect(fn('ClusterSetup')?.Environment).toMatchObject({
      Variables: { NODE_ROLE_ARN: { 'Fn::GetAtt': [expect.stringMatching(/^NodeRole/), 'Arn'] } },
    });
  });

  it("has a name of CloudFormation if ours exceeds IAM's limit", () => {
    const long = aTemplate({ cluster: 'c'.repeat(100) });
    const [role] = Object.values(
      long.findResources('AWS::IAM::Role', {
        Properties: { Description: Match.stringLikeRegexp('^Nodes of') },
      }),
    );
    expect(role?.Properties).not.toHaveProperty('RoleName');
  });

  it('is not created if the options name roles', () => {
    const given = aTemplate({ nodeRoles: 'KarpenterNodeRole-demo' });
    expect(given.findResources('AWS::EKS::AccessEntry', { Properties: { Type: 'EC2_LINUX' } })).toEqual({});
  });
});

describe('a private cluster', () => {
  const network = {
    functionSubnets: 'subnet-0a0a0a0a,subnet-0b0b0b0b',
    functionSecurityGroups: 'sg-0c0c0c0c',
  };
  const inside = propertiesOf('AWS::Lambda::Function', aTemplate(network));

  it('is reached from its VPC by the functions that talk to it, and by no other', () => {
    const there = [...inside].flatMap(([id, { VpcConfig }]) => (VpcConfig ? [id] : []));
    expect(there).toContain('ProvisioningFunction');
    expect(there).not.toContain('EventIntakeFunction');
    expect(inside.get('ProvisioningFunction')?.VpcConfig).toEqual({
      SubnetIds: ['subnet-0a0a0a0a', 'subnet-0b0b0b0b'],
      SecurityGroupIds: ['sg-0c0c0c0c'],
    });
  });

  const isolated = aTemplate(network);
  const INTERFACES = 'ec2:CreateNetworkInterface';
  const insiders = [...WORKERS, 'PollWorker', 'ClusterSetup', 'WebhookControl'] as const;

  it.each(insiders)(
    'grants the network-interface rights to Lambda only, not to the code of %s, and denies that code nothing that it may call',
    (name) => {
      const rights = rightsOf(isolated, name);
      const [forLambda, ...others] = rights.filter(({ actions }) => actions.includes(INTERFACES));
      const own = rights.filter((it) => it !== forLambda).flatMap(({ actions }) => actions);
      const [denial] = denialsOf(isolated, name);

      expect([others, Object.keys(denial?.conditions.ArnLike ?? {})]).toEqual([[], ['lambda:SourceFunctionArn']]);
      expect(denial?.actions).toEqual(forLambda?.actions.filter((action) => !own.includes(action)));
    },
  );

  it('lets its EC2NodeClasses be resolved', () => {
    const denied = denialsOf(isolated, 'NodeClass').flatMap(({ actions }) => actions);
    expect(denied).toContain(INTERFACES);
    expect(denied).not.toContain('ec2:DescribeSubnets');
  });
});

describe('a customer-managed KMS key', () => {
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

  it("encrypts the webhook token and the functions' environments", () => {
    locked.hasResourceProperties('AWS::SecretsManager::Secret', { KmsKeyId: arn });
    const ours = [...propertiesOf('AWS::Lambda::Function', locked)].filter(([id]) => id.endsWith('Function'));
    expect(ours.length).toBeGreaterThan(8);
    expect(ours.filter(([, { KmsKeyArn }]) => KmsKeyArn !== arn)).toEqual([]);
  });

  const usesOf = (name: string) =>
    rightsOf(locked, name)
      .filter(({ actions }) => actions.some((action) => action.startsWith('kms:')))
      .map(({ actions, resources, conditions: { StringEquals, ...others } }) => ({
        actions: actions.map((action) => action.replace('kms:', '')).join(),
        resources,
        via: [StringEquals?.['kms:ViaService']].flat().map((host) => serviceIn(host)),
        ...others,
      }));
  const serviceIn = (host: unknown) => /(\w+)\.eu-west-1\./.exec(JSON.stringify(host))?.[1];
  const READ_AND_WRITE = 'Decrypt,GenerateDataKey';

  it.each<readonly [string, string, readonly string[]]>([
    ['EventIntake', READ_AND_WRITE, ['sqs', 'lambda']],
    ['DeployCheck', 'Decrypt', ['lambda']],
    ['CatalogRefresh', READ_AND_WRITE, ['s3', 'lambda']],
    ['PollWorker', `${READ_AND_WRITE},DescribeKey`, ['sqs', 'dynamodb', 'lambda']],
    ...WORKERS.map((name): [string, string, string[]] => [
      name,
      `${READ_AND_WRITE},DescribeKey`,
      ['sqs', 'dynamodb', 's3', 'lambda'],
    ]),
  ])('can be used by %s to %s through %j', (name, actions, via) => {
    expect(usesOf(name)).toEqual([{ actions, resources: [arn], via }]);
  });

  it.each([
    ['ClusterSetup', ['dynamodb', 'secretsmanager', 'sqs', 'lambda']],
    ['WebhookControl', ['dynamodb', 'secretsmanager', 'lambda']],
  ])('can be used by %s to write the environment of the intake', (name, via) => {
    const resources = [arn];
    expect(usesOf(name)).toEqual([
      { actions: `${READ_AND_WRITE},DescribeKey`, resources, via },
      { actions: 'Encrypt', resources, via: ['lambda'] },
      {
        actions: 'CreateGrant',
        resources,
        via: ['lambda'],
        Bool: { 'kms:GrantIsForAWSResource': 'true' },
      },
    ]);
  });

  it('can be used by the schedules', () => {
    const policy = [...propertiesOf('AWS::IAM::Policy', locked)].filter(([id]) => id.startsWith('Schedules'));
    expect(JSON.stringify(policy)).toMatch(/"kms:Decrypt","kms:GenerateDataKey"/);
  });
});

describe('logs', () => {
  it.each([[{}], [{ hookVpcEndpoint: 'vpce-0a1b2c3d4e5f60718' }]])(
    'all expire, those of custom resources included: %j',
    (context) => {
      const stack = aTemplate(context);
      const groups = [...propertiesOf('AWS::Logs::LogGroup', stack).values()];
      const functions = [...propertiesOf('AWS::Lambda::Function', stack).values()];
      expect(groups.filter(({ RetentionInDays }) => RetentionInDays !== 30)).toEqual([]);
      // Lambda would create a log group that never expires.
      expect(functions.filter(({ LoggingConfig }) => LoggingConfig === undefined)).toEqual([]);
    },
  );
});

describe('the check of a deployment', () => {
  it('succeeds before the intake with its reservation is created or changed', () => {
    const checks = Object.entries(template.findResources('Custom::MortiseDeployCheck'));
    expect(checks.map(([, check]) => check)).toMatchObject([{ Properties: { concurrency: 10 } }]);
    const [intake] = Object.entries(template.findResources('AWS::Lambda::Function'))
      .filter(([id]) => id.startsWith('EventIntakeFunction'))
      .map(([, resource]) => resource);
    expect(intake?.DependsOn).toContain(checks[0]?.[0]);
  });

  it('is left out without a reservation', () => {
    const none = aTemplate({ intakeConcurrency: 'none' });
    expect(none.findResources('Custom::MortiseDeployCheck')).toEqual({});
    expect(propertiesIn(none, 'AWS::Lambda::Function').has('DeployCheckFunction')).toBe(false);
  });
});
