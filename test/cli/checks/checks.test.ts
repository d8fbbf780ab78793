import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeRouteTablesCommand,
  DescribeSubnetsCommand,
  DescribeVpcEndpointsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { type Cluster, EKSClient, ListAccessEntriesCommand } from '@aws-sdk/client-eks';
import { GetRoleCommand, IAMClient, type InstanceProfile, ListInstanceProfilesCommand } from '@aws-sdk/client-iam';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import type { CheckSources, JsonCall } from '../../../cli/checks/check-sources.ts';
import { CHECKS, runChecks } from '../../../cli/checks/run-checks.ts';
import { checkSources } from '../../../cli/deploy/check-prerequisites.ts';

const SETTINGS = {
  region: 'eu-west-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};
const named = (name: string, message = 'no'): Error => Object.assign(new Error(message), { name });
const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/1';
const GOOD: Cluster = {
  status: 'ACTIVE',
  version: '1.36',
  accessConfig: { authenticationMode: 'API' },
  resourcesVpcConfig: { endpointPublicAccess: true },
};

const answerJson = ({ service }: JsonCall): object =>
  service === 'scheduler' ? { ScheduleGroups: [] } : { Quota: { Value: 256 } };

/** An account in which a deployment would succeed; each test breaks a part of it. */
function anAccount(over: Partial<Omit<CheckSources, 'options'>> = {}, options: Partial<CheckSources['options']> = {}) {
  const clients = {
    eks: new EKSClient(SETTINGS),
    ec2: new EC2Client(SETTINGS),
    iam: new IAMClient(SETTINGS),
    lambda: new LambdaClient(SETTINGS),
    ssm: new SSMClient(SETTINGS),
    dynamo: new DynamoDBClient(SETTINGS),
    s3: new S3Client(SETTINGS),
  };
  const mocks = {
    eks: mockClient(clients.eks),
    ec2: mockClient(clients.ec2),
    iam: mockClient(clients.iam),
    lambda: mockClient(clients.lambda),
    ssm: mockClient(clients.ssm),
    dynamo: mockClient(clients.dynamo),
    s3: mockClient(clients.s3),
  };
  mocks.eks.on(ListAccessEntriesCommand).resolves({ accessEntries: [] });
  mocks.iam.on(GetRoleCommand).resolves({});
  mocks.lambda.on(GetAccountSettingsCommand).resolves({ AccountLimit: { UnreservedConcurrentExecutions: 990 } });
  mocks.ssm.on(GetParameterCommand).resolves({ Parameter: { Value: '21' } });
  mocks.dynamo.on(ListTablesCommand).resolves({ TableNames: ['Mortise-other-Table', 'orders'] });
  mocks.s3.on(ListBucketsCommand).resolves({ Buckets: [] });
  mocks.iam.on(ListInstanceProfilesCommand).resolves({ InstanceProfiles: [] });
  mocks.ec2.on(DescribeSubnetsCommand).resolves({ Subnets: [{ SubnetId: 'subnet-1', VpcId: 'vpc-1' }] });
  mocks.ec2.on(DescribeRouteTablesCommand).resolves({
    RouteTables: [
      {
        Associations: [{ SubnetId: 'subnet-1' }],
        Routes: [{ DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: 'nat-1' }],
      },
    ],
  });
  mocks.ec2.on(DescribeVpcEndpointsCommand).resolves({ VpcEndpoints: [] });
  const sources: CheckSources = {
    ...{ cluster: 'shop', region: 'eu-west-1', stackName: 'Mortise-shop', stage: 'before' },
    ...clients,
    options: {
      ...{ functionSubnets: [], nodeRoles: [], keys: [], volumeKeys: [], intakeConcurrency: 10 },
      ...options,
    },
    readCluster: async () => GOOD,
    readStackStatus: async () => undefined,
    callJson: async (call) => answerJson(call),
    ...over,
  };
  return { sources, mocks };
}

const withCluster = (fields: Cluster) => anAccount({ readCluster: async () => ({ ...GOOD, ...fields }) });
const withKms = (state: string, Policy: string) =>
  anAccount(
    {
      callJson: async (call) => {
        if (call.service !== 'kms') return answerJson(call);
        return call.target.endsWith('GetKeyPolicy') ? { Policy } : { KeyMetadata: { KeyState: state } };
      },
    },
    { keys: [KEY] },
  );
const withMock = (
  breakIt: (mocks: ReturnType<typeof anAccount>['mocks']) => unknown,
  options: Partial<CheckSources['options']> = {},
) => {
  const account = anAccount({}, options);
  breakIt(account.mocks);
  return account;
};
const withStack = (status: string) => anAccount({ readStackStatus: async () => status });

const aProfile = (InstanceProfileName: string): InstanceProfile => ({
  ...{ InstanceProfileName, Path: '/', InstanceProfileId: 'AIPA1', Roles: [] },
  ...{ Arn: 'arn:aws:iam::123456789012:instance-profile/shop_1', CreateDate: new Date(0) },
});

type Case = readonly [
  title: string,
  account: ReturnType<typeof anAccount>,
  status: 'fail' | 'warn',
  id: string,
  evidence: RegExp,
  fix: RegExp,
];

const BREAKAGES: readonly Case[] = [
  ['a cluster that is created', withCluster({ status: 'CREATING' }), 'fail', 'cluster/status', /is CREATING/, /wait/],
  ['an old cluster', withCluster({ version: '1.29' }), 'fail', 'cluster/version', /1\.29 is older/, /upgrade/],
  [
    'no access entries',
    withCluster({ accessConfig: { authenticationMode: 'CONFIG_MAP' } }),
    ...(['fail', 'cluster/access-entries', /CONFIG_MAP/, /authenticationMode=API_AND_CONFIG_MAP/] as const),
  ],
  [
    'a private API server and functions outside its VPC',
    withCluster({ resourcesVpcConfig: { endpointPublicAccess: false } }),
    ...(['fail', 'network/api-server', /private endpoint only/, /functionSubnets/] as const),
  ],
  [
    'an account without bootstrap',
    withMock(({ ssm }) => ssm.on(GetParameterCommand).rejects(named('ParameterNotFound'))),
    ...(['fail', 'account/bootstrap', /not bootstrapped/, /cdk bootstrap/] as const),
  ],
  [
    'an old bootstrap',
    withMock(({ ssm }) => ssm.on(GetParameterCommand).resolves({ Parameter: { Value: '5' } })),
    ...(['fail', 'account/bootstrap', /version 5 .* too old/, /cdk bootstrap/] as const),
  ],
  [
    'too little concurrency for the reservation of the intake',
    withMock(({ lambda }) =>
      lambda.on(GetAccountSettingsCommand).resolves({ AccountLimit: { UnreservedConcurrentExecutions: 105 } }),
    ),
    ...(['fail', 'account/lambda-concurrency', /105 .* reserves 10/, /L-B99A9384/] as const),
  ],
  [
    'no service-linked role for spot',
    withMock(({ iam }) => iam.on(GetRoleCommand).rejects(named('NoSuchEntityException'))),
    ...(['warn', 'account/spot-role', /AWSServiceRoleForEC2Spot/, /spot\.amazonaws\.com/] as const),
  ],
  [
    'the quota of a new account',
    anAccount({ callJson: async (call) => ({ ...answerJson(call), Quota: { Value: 5 } }) }),
    ...(['warn', 'account/vcpu-quotas', /may run 5 vCPUs/, /L-1216C47A|L-34B43A08/] as const),
  ],
  [
    'a node role that does not exist',
    withMock(({ iam }) => iam.on(GetRoleCommand, { RoleName: 'Nodes' }).rejects(named('NoSuchEntity')), {
      nodeRoles: ['platform/Nodes'],
    }),
    ...(['fail', 'account/node-roles', /no IAM role platform\/Nodes/, /nodeRoles/] as const),
  ],
  ['a disabled key', withKms('Disabled', ''), 'fail', 'account/keys', /is Disabled/, /enable-key/],
  [
    'a key policy without the services',
    withKms('Enabled', '"events.amazonaws.com"'),
    ...(['fail', 'account/keys', /does not allow logs\.eu-west-1/, /Use your own KMS key/] as const),
  ],
  [
    'a stack that cannot be deleted',
    withStack('DELETE_FAILED'),
    'fail',
    'stack/state',
    /only be deleted/,
    /delete-stack/,
  ],
  ['a stack that changes', withStack('UPDATE_IN_PROGRESS'), 'fail', 'stack/state', /IN_PROGRESS/, /wait/],
  [
    'a stack whose rollback failed',
    withStack('UPDATE_ROLLBACK_FAILED'),
    ...(['fail', 'stack/state', /cannot be updated/, /continue-update-rollback/] as const),
  ],
  [
    'a table of an earlier stack',
    withMock(({ dynamo }) => dynamo.on(ListTablesCommand).resolves({ TableNames: ['Mortise-shop-State1'] })),
    ...(['warn', 'stack/left-overs', /Mortise-shop-State1/, /delete-table/] as const),
  ],
  [
    'a bucket of an earlier stack',
    withMock(({ s3 }) =>
      s3
        .on(ListBucketsCommand, { Prefix: 'mortise-shop-' })
        .resolves({ Buckets: [{ Name: 'mortise-shop-snapshotbucket1-2' }] }),
    ),
    ...(['warn', 'stack/left-overs', /mortise-shop-snapshotbucket1-2/, /empty and/] as const),
  ],
  [
    'an instance profile of an earlier stack',
    withMock(({ iam }) =>
      iam
        .on(ListInstanceProfilesCommand, { PathPrefix: '/karpenter/eu-west-1/shop/' })
        .resolves({ InstanceProfiles: [aProfile('shop_1')] }),
    ),
    ...(['warn', 'stack/left-overs', /shop_1/, /uses it for the same/] as const),
  ],
  [
    'a schedule group of an earlier stack',
    anAccount({
      callJson: async (call) =>
        call.service === 'scheduler' && call.path.endsWith('?NamePrefix=Mortiseshop-')
          ? { ScheduleGroups: [{ Name: 'Mortiseshop-Schedules-Group-1' }] }
          : answerJson(call),
    }),
    ...(['warn', 'stack/left-overs', /needs its name/, /delete-schedule-group/] as const),
  ],
  [
    'a node role of an earlier stack',
    withMock(({ eks }) =>
      eks.on(ListAccessEntriesCommand).resolves({
        accessEntries: ['arn:aws:iam::123456789012:role/MortiseNode-shop-1a2b3c4d'],
      }),
    ),
    ...(['warn', 'stack/left-overs', /MortiseNode-shop-1a2b3c4d/, /none while nodes/] as const),
  ],
  [
    'subnets that do not exist',
    withMock(({ ec2 }) => ec2.on(DescribeSubnetsCommand).resolves({ Subnets: [] }), {
      functionSubnets: ['subnet-1'],
    }),
    ...(['fail', 'network/endpoints', /no subnet subnet-1/, /functionSubnets/] as const),
  ],
  [
    'subnets without a way out',
    withMock(({ ec2 }) => ec2.on(DescribeRouteTablesCommand).resolves({ RouteTables: [] }), {
      functionSubnets: ['subnet-1'],
    }),
    ...(['fail', 'network/endpoints', /no endpoint of ec2, eks, sqs/, /NAT gateway/] as const),
  ],
  [
    'subnets that leave through an internet gateway',
    withMock(
      ({ ec2 }) =>
        ec2.on(DescribeRouteTablesCommand).resolves({
          RouteTables: [
            {
              Associations: [{ Main: true }],
              Routes: [{ DestinationCidrBlock: '0.0.0.0/0', GatewayId: 'igw-1' }],
            },
          ],
        }),
      { functionSubnets: ['subnet-1'] },
    ),
    ...(['fail', 'network/endpoints', /internet gateway/, /NAT gateway/] as const),
  ],
];

describe('the checks of cluster and account', () => {
  it('are all ok where a deployment would succeed', async () => {
    const { sources } = anAccount({}, { functionSubnets: ['subnet-1'] });
    const checks = await runChecks(sources);

    expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(checks.length).toBeGreaterThan(8);
  });

  it.each(BREAKAGES)('find %s, and name the remedy', async (_, { sources }, status, id, evidence, fix) => {
    const findings = (await runChecks(sources)).filter((one) => one.status !== 'ok');

    expect(new Set(findings.map((one) => `${one.status} ${one.id}`))).toEqual(new Set([`${status} ${id}`]));
    expect(findings[0]?.evidence).toMatch(evidence);
    expect(findings[0]?.fix).toMatch(fix);
  });

  it('name all rights of a check that is not allowed, and make the others', async () => {
    const { sources, mocks } = anAccount({
      callJson: async (call) => {
        if (call.service !== 'servicequotas') return answerJson(call);
        throw named('AccessDeniedException');
      },
    });
    mocks.iam.on(GetRoleCommand).rejects(named('AccessDenied'));
    const findings = (await runChecks(sources)).filter(({ status }) => status !== 'ok');

    expect(findings.map(({ status, evidence }) => `${status} ${evidence}`)).toEqual([
      'unknown account/spot-role: AWS does not allow it: not checked: needs iam:GetRole',
      'unknown account/vcpu-quotas: AWS does not allow it: not checked: needs servicequotas:GetServiceQuota',
    ]);
  });

  it('wait for AWS a limited time', async () => {
    const { sources } = anAccount({
      callJson: async (call) => (call.service === 'servicequotas' ? new Promise(() => undefined) : answerJson(call)),
    });
    const findings = (await runChecks(sources, 10)).filter(({ status }) => status !== 'ok');

    expect(findings).toMatchObject([{ id: 'account/vcpu-quotas', status: 'unknown' }]);
  });

  it('are the same list for a deployed stack, without those that only a deployment needs', async () => {
    const { sources } = anAccount({ stage: 'after' });
    const ids = (await runChecks(sources)).map(({ id }) => id);

    expect(ids).toContain('account/lambda-concurrency');
    expect(ids).not.toContain('account/bootstrap');
    expect(ids.every((id) => CHECKS.some(({ group, name }) => `${group}/${name}` === id))).toBe(true);
  });
});

describe('the checks before a deployment', () => {
  const notes = async ({ sources }: Pick<ReturnType<typeof anAccount>, 'sources'>) => {
    const lines: string[] = [];
    await checkSources(sources, { note: (line) => void lines.push(line), detail: () => undefined });
    return lines;
  };

  it('print nothing if all is well', async () => {
    expect(await notes(anAccount())).toEqual([]);
  });

  it('stop with everything that is missing at once', async () => {
    const account = withCluster({ version: '1.29', status: 'CREATING' });

    await expect(notes(account)).rejects.toMatchObject({
      problems: [
        { code: 'prerequisite-missing', what: /is CREATING/, fix: 'wait until it is ACTIVE' },
        { code: 'prerequisite-missing', what: /Kubernetes 1\.29/, fix: /upgrade/ },
      ].map(({ code, what, fix }) => ({
        code,
        what: expect.stringMatching(what) as unknown,
        fix: expect.stringMatching(fix) as unknown,
      })),
    });
  });

  it('warn in one line with the remedy', async () => {
    const account = withMock(({ iam }) => iam.on(GetRoleCommand).rejects(named('NoSuchEntity')));

    expect(await notes(account)).toEqual([
      'warning: no AWSServiceRoleForEC2Spot: spot instances cannot be launched; aws iam create-service-linked-role --aws-service-name spot.amazonaws.com',
    ]);
  });

  it('are skipped where the credentials may only assume the roles of the CDK', async () => {
    const account = anAccount({
      readCluster: async () => {
        throw named('AccessDeniedException');
      },
    });

    expect((await notes(account)).every((line) => line.includes('needs eks:DescribeCluster'))).toBe(true);
  });

  it('stop for a cluster that does not exist, expired credentials, and an AWS that does not answer', async () => {
    const expired = anAccount({
      readCluster: async () => {
        throw named('ExpiredTokenException');
      },
    });
    const silent = anAccount({ readCluster: () => new Promise(() => undefined) });

    await expect(notes(anAccount({ readCluster: async () => undefined }))).rejects.toMatchObject({
      problems: [{ code: 'not-found', what: 'no EKS cluster shop' }],
    });
    await expect(notes(expired)).rejects.toMatchObject({
      problems: [{ code: 'credentials-expired' }],
    });
    const output = { note: () => undefined, detail: () => undefined };
    await expect(checkSources(silent.sources, output, 20)).rejects.toMatchObject({
      problems: [{ code: 'aws-unreachable' }],
    });
  });
});
