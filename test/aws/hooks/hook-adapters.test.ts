import {
  CloudWatchClient,
  GetMetricStatisticsCommand,
  type GetMetricStatisticsCommandInput,
} from '@aws-sdk/client-cloudwatch';
import { DescribeClusterCommand, EKSClient, type VpcConfigResponse } from '@aws-sdk/client-eks';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  PreconditionFailedException,
  ResourceConflictException,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { readClusterNetwork } from '../../../shared/aws/eks/cluster-network.ts';
import { cloudWatchHookCalls } from '../../../shared/aws/hooks/cloudwatch-hook-calls.ts';
import { lambdaHookIntake } from '../../../shared/aws/hooks/lambda-hook-intake.ts';
import { lambdaHooksRequests } from '../../../shared/aws/hooks/lambda-hooks-requests.ts';
import { secretHookTokens } from '../../../shared/aws/hooks/secret-hook-tokens.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';

const PLACE = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
const secrets = mockClient(SecretsManagerClient);
const lambda = mockClient(LambdaClient);
const cloudWatch = mockClient(CloudWatchClient);
const eks = mockClient(EKSClient);
// The classes are mocked, which the files of the same process share.
afterAll(() => {
  for (const client of [secrets, lambda, cloudWatch, eks]) client.restore();
});
afterEach(() => {
  for (const client of [secrets, lambda, cloudWatch, eks]) client.reset();
});

describe('tokens in Secrets Manager', () => {
  /** A secret with its versions and the stages that point to them. */
  function aSecret(): ReadonlyMap<string, string> {
    const versions = new Map([['v1', 'first']]);
    const stages = new Map([['AWSCURRENT', 'v1']]);
    secrets.on(GetSecretValueCommand).callsFake(({ VersionStage }: { VersionStage: string }) => {
      const VersionId = stages.get(VersionStage);
      if (VersionId === undefined) {
        throw new ResourceNotFoundException({ message: 'no such stage', $metadata: {} });
      }
      const CreatedDate = new Date(NOON);
      return { VersionId, SecretString: versions.get(VersionId), CreatedDate };
    });
    secrets.on(PutSecretValueCommand).callsFake((input: Record<string, string>) => {
      const { ClientRequestToken: VersionId = '', SecretString = '' } = input;
      if (versions.has(VersionId)) {
        throw new ResourceExistsException({ message: 'there is one', $metadata: {} });
      }
      versions.set(VersionId, SecretString);
      stages.set('AWSPENDING', VersionId);
      return { VersionId };
    });
    secrets.on(UpdateSecretVersionStageCommand).callsFake((input: Record<string, string>) => {
      const { VersionStage = '', MoveToVersionId, RemoveFromVersionId } = input;
      // Like the service, requires the current version of a stage to move it.
      if (stages.get(VersionStage) !== RemoveFromVersionId) throw new Error('it is elsewhere');
      if (MoveToVersionId === undefined) stages.delete(VersionStage);
      else stages.set(VersionStage, MoveToVersionId);
      return {};
    });
    return versions;
  }

  const tokens = secretHookTokens(new SecretsManagerClient(PLACE), 'arn');

  it('begin with the token of the template', async () => {
    aSecret();
    expect(await tokens.read()).toEqual({ current: { text: 'first', createdAt: NOON } });
  });

  it('are two from a proposal until its promotion', async () => {
    aSecret();
    const next = await tokens.propose();
    expect(await tokens.read()).toEqual({ current: { text: 'first', createdAt: NOON }, next });

    await tokens.promote();
    expect(await tokens.read()).toEqual({ current: next });
    await tokens.promote();
    expect(await tokens.read()).toEqual({ current: next });
  });

  it('have 256 random bits in characters that fit a path', async () => {
    aSecret();
    const first = await tokens.propose();
    await tokens.promote();
    const second = await tokens.propose();
    for (const { text } of [first, second]) expect(text).toMatch(/^[\w-]{43}$/);
    expect(first).not.toEqual(second);
  });

  it('are at most two, however often one is proposed', async () => {
    aSecret();
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => tokens.propose()));
    for (const other of others) expect(other).toEqual(first);
  });
});

describe('the intake function', () => {
  const intake = lambdaHookIntake(new LambdaClient(PLACE), {
    name: 'intake',
    digestOf: (token) => `digest-of-${token}`,
  });
  const tokens = [
    { text: 'old', createdAt: NOON },
    { text: 'new', createdAt: NOON },
  ];
  const configured = (HOOK_DIGESTS: string) =>
    lambda.on(GetFunctionConfigurationCommand).resolves({
      Environment: { Variables: { HOOK_DIGESTS, PLAN_QUEUE: 'url' } },
      RevisionId: 'r1',
      LastUpdateStatus: 'Successful',
    });

  it('gets digests, and keeps its other settings', async () => {
    configured('');
    lambda.on(UpdateFunctionConfigurationCommand).resolves({});

    await intake.admit(tokens);

    expect(lambda.commandCalls(UpdateFunctionConfigurationCommand)[0]?.args[0].input).toEqual({
      FunctionName: 'intake',
      Environment: {
        Variables: { PLAN_QUEUE: 'url', HOOK_DIGESTS: 'digest-of-old,digest-of-new' },
      },
      RevisionId: 'r1',
    });
  });

  it('is read again if a deployment changed it in the meantime', async () => {
    configured('');
    lambda
      .on(UpdateFunctionConfigurationCommand)
      .rejectsOnce(new PreconditionFailedException({ message: 'r1', $metadata: {} }))
      .rejectsOnce(new ResourceConflictException({ message: 'in progress', $metadata: {} }))
      .resolves({});

    await intake.admit(tokens);

    expect(lambda.commandCalls(UpdateFunctionConfigurationCommand)).toHaveLength(3);
  });

  it('throws after a limited number of conflicts', async () => {
    configured('');
    lambda
      .on(UpdateFunctionConfigurationCommand)
      .rejects(new ResourceConflictException({ message: 'in progress', $metadata: {} }));

    await expect(intake.admit(tokens)).rejects.toThrow('changed by another process');
  });

  it('is not changed if it has the digests already', async () => {
    configured('digest-of-old,digest-of-new');
    await intake.admit(tokens);
    expect(lambda.commandCalls(UpdateFunctionConfigurationCommand)).toEqual([]);
  });
});

it('sends a setup order as an asynchronous invocation', async () => {
  lambda.on(InvokeCommand).resolves({ StatusCode: 202 });

  await lambdaHooksRequests(new LambdaClient(PLACE), 'setup').send({ action: 'restore-hooks' });

  expect(lambda.commandCalls(InvokeCommand).map(({ args }) => args[0].input)).toEqual([
    {
      FunctionName: 'setup',
      InvocationType: 'Event',
      Payload: Buffer.from('{"action":"restore-hooks"}'),
    },
  ]);
});

describe('webhook calls in CloudWatch', () => {
  const calls = cloudWatchHookCalls(new CloudWatchClient(PLACE), {
    cluster: 'demo',
    intakeFunction: 'intake',
  });

  it('are combined by the minute', async () => {
    const at = (minute: number) => new Date(NOON + minute * MINUTE_MS);
    const points = {
      Invocations: [
        { Timestamp: at(1), Sum: 7 },
        { Timestamp: at(0), Sum: 3 },
      ],
      Errors: [{ Timestamp: at(1), Sum: 2 }],
      Throttles: [{ Timestamp: at(1), Sum: 3 }],
      apiserver_admission_webhook_request_total_VALIDATING: [{ Timestamp: at(1), Sum: 9 }],
      apiserver_admission_webhook_admission_duration_seconds_VALIDATING_P99: [{ Timestamp: at(1), Maximum: 0.25 }],
    };
    cloudWatch.on(GetMetricStatisticsCommand).callsFake(({ MetricName }: { MetricName: keyof typeof points }) => ({
      Datapoints: points[MetricName],
    }));

    expect(await calls.since(NOON, NOON + 2 * MINUTE_MS)).toEqual([
      { at: NOON, received: 3 },
      { at: NOON + MINUTE_MS, p99Ms: 250, counted: 9, received: 7, failed: 5 },
    ]);
  });

  it('are queried by cluster and function', async () => {
    cloudWatch.on(GetMetricStatisticsCommand).resolves({});

    expect(await calls.since(NOON, NOON + MINUTE_MS)).toEqual([]);

    const requested = cloudWatch
      .commandCalls(GetMetricStatisticsCommand)
      .map(({ args }): GetMetricStatisticsCommandInput => args[0].input)
      .map(({ Namespace, Dimensions = [], Period }) => [
        Namespace,
        ...Dimensions.map(({ Name, Value }) => `${Name}=${Value}`),
        Period,
      ]);
    expect(requested).toEqual([
      ['AWS/EKS', 'ClusterName=demo', 60],
      ['AWS/EKS', 'ClusterName=demo', 60],
      ['AWS/Lambda', 'FunctionName=intake', 60],
      ['AWS/Lambda', 'FunctionName=intake', 60],
      ['AWS/Lambda', 'FunctionName=intake', 60],
    ]);
  });
});

describe('the network of a cluster', () => {
  const networkOf = (resourcesVpcConfig?: VpcConfigResponse) => {
    eks.on(DescribeClusterCommand).resolves({ cluster: { resourcesVpcConfig } });
    return readClusterNetwork(new EKSClient(PLACE), 'demo');
  };

  it.each<[string, VpcConfigResponse | undefined, object]>([
    ['of old', undefined, { isPublic: true, publicCidrs: ['0.0.0.0/0'], egress: 'aws-managed' }],
    [
      'with a list',
      { endpointPublicAccess: true, publicAccessCidrs: ['203.0.113.0/24'] },
      { isPublic: true, publicCidrs: ['203.0.113.0/24'], egress: 'aws-managed' },
    ],
    [
      'private, with routes of its own',
      {
        endpointPublicAccess: false,
        publicAccessCidrs: [],
        controlPlaneEgressMode: 'CUSTOMER_ROUTED',
      },
      { isPublic: false, publicCidrs: [], egress: 'customer-routed' },
    ],
  ])('is read from EKS: %s', async (_, vpc, network) => {
    expect(await networkOf(vpc)).toEqual(network);
  });
});
