import { DeleteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeRegionsCommand,
  DescribeSubnetsCommand,
  EC2Client,
  RunInstancesCommand,
  type Tag,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { GetAccountSettingsCommand, GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../../support/iam/conditions.ts';
import { parsePolicy } from '../../../../support/iam/policy.ts';
import type { Tags } from '../../../../support/iam/requests/request.ts';
import { ACCOUNT, REGION } from '../emulators.ts';
import type { AccountFacts } from '../rights/facts.ts';
import { createRightsReport } from '../rights/report.ts';
import { emulate, startRules, xml } from './fixture.ts';
import { rights } from './rights.ts';

const OWNED: Tags = { 'kubernetes.io/cluster/lab': 'owned' };

const factsWith = (tags: Tags): AccountFacts => ({
  read: async () => ({
    ...{ partition: 'aws', region: REGION, account: ACCOUNT, urlSuffix: 'amazonaws.com' },
    tagsOf: () => tags,
    templateData: () => ({}),
    profileArn: (name) => name,
    rolesOf: () => [],
    roleArn: (name) => name,
    keyOf: () => undefined,
  }),
  watch: () => undefined,
});

interface SenderParts {
  readonly policy: readonly object[];
  readonly context?: RequestContext;
  readonly tags?: Tags;
}

/** Starts the rule for one sender, whose session token is the name of a function. */
async function startRights({ policy, context = {}, tags = {} }: SenderParts) {
  const report = createRightsReport();
  const statements = parsePolicy('sweep', { Statement: policy });
  const sender = { name: 'Sweep', arn: 'arn:aws:sts::1:assumed-role/r/sweep', statements, context };
  const rule = rights({
    senders: {
      find: async ({ caller }) => (caller === undefined ? undefined : sender),
      watch: () => undefined,
      change: () => undefined,
    },
    facts: factsWith(tags),
    report,
  });
  const done = xml('<Response/>');
  const missing = { ...xml('<Error><Code>NoSuchKey</Code></Error>'), status: 404 };
  const answers = {
    ...{ 'ec2.DescribeSubnets': done, 'ec2.RunInstances': done, 'ec2.TerminateInstances': done },
    's3.GetObject': missing,
  };
  return { report, ...(await startRules([rule], emulate(answers))) };
}

const allow = (Action: string, Resource = '*', Condition = {}) => ({
  ...{ Effect: 'Allow', Action, Resource, Condition },
});

describe('the rights of a sender', () => {
  it('are its policies: a request without them is refused with the code of its service', async () => {
    const { fn, report } = await startRights({ policy: [allow('sqs:ReceiveMessage')] });
    const queue = `${fn.endpoint}/${ACCOUNT}/plan`;
    const Key = { pk: { S: 'a' }, sk: { S: 'b' } };

    await expect(new EC2Client(fn).send(new DescribeSubnetsCommand())).rejects.toMatchObject({
      name: 'UnauthorizedOperation',
    });
    await expect(new SSMClient(fn).send(new GetParameterCommand({ Name: '/aws/service/x' }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    await expect(
      new SQSClient(fn).send(new SendMessageCommand({ QueueUrl: queue, MessageBody: 'hint' })),
    ).rejects.toMatchObject({ name: 'AccessDenied' });
    await expect(new DynamoDBClient(fn).send(new DeleteItemCommand({ TableName: 'state', Key }))).rejects.toMatchObject(
      { name: 'AccessDeniedException' },
    );

    expect(report.lines()[0]).toBe('requests evaluated: 4, denied: 4');
    expect(() => report.check()).toThrow(/Sweep: ec2:DescribeSubnets on \*: no statement/);
    report.expect(/^Sweep: /);
    expect(() => report.check()).not.toThrow();
  });

  it('are not asked about for an administrator', async () => {
    const { person, report } = await startRights({ policy: [] });

    await new EC2Client(person).send(new DescribeSubnetsCommand());

    expect(report.lines()).toEqual(['requests evaluated: 0, denied: 0']);
  });

  it('must be known: a request that test/support/iam does not describe is refused', async () => {
    const { fn, report } = await startRights({ policy: [allow('*')] });

    await expect(new EC2Client(fn).send(new DescribeRegionsCommand())).rejects.toMatchObject({
      name: 'UnauthorizedOperation',
    });
    expect(() => report.check()).toThrow(/what ec2:DescribeRegions needs is not described/);
  });

  it('are those of a REST request, whether or not its path has parameters', async () => {
    const { fn, report } = await startRights({ policy: [allow('lambda:*')] });
    const lambda = new LambdaClient(fn);

    await lambda.send(new GetAccountSettingsCommand());
    await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: 'sweep' }));

    expect(report.lines()).toEqual(['requests evaluated: 2, denied: 0', '  Sweep: lambda 2']);
  });

  it('are those of a dry run, too: EC2 asks for the tags that the launch would give', async () => {
    const condition = { StringEquals: { 'aws:RequestTag/kubernetes.io/cluster/lab': 'owned' } };
    const policy = [
      ...['image', 'subnet'].map((kind) => allow('ec2:RunInstances', `arn:aws:ec2:${REGION}:*:${kind}/*`)),
      ...['instance', 'volume', 'network-interface'].map((kind) =>
        allow('ec2:RunInstances', `arn:aws:ec2:${REGION}:*:${kind}/*`, condition),
      ),
      allow('ec2:CreateTags'),
    ];
    const { fn } = await startRights({ policy });
    const Tags: Tag[] = [{ Key: 'kubernetes.io/cluster/lab', Value: 'owned' }];
    const launch = { ImageId: 'ami-1', MinCount: 1, MaxCount: 1, DryRun: true };
    const tagged = (['instance', 'volume', 'network-interface'] as const).map((ResourceType) => ({
      ...{ ResourceType, Tags },
    }));
    const ec2 = new EC2Client(fn);

    await expect(ec2.send(new RunInstancesCommand(launch))).rejects.toMatchObject({
      name: 'UnauthorizedOperation',
    });
    await ec2.send(new RunInstancesCommand({ ...launch, TagSpecifications: tagged }));
  });

  it('depend on the tags that a resource has', async () => {
    const condition = { StringEquals: { 'aws:ResourceTag/kubernetes.io/cluster/lab': 'owned' } };
    const policy = [allow('ec2:TerminateInstances', '*', condition)];
    const terminate = new TerminateInstancesCommand({ InstanceIds: ['i-1'] });
    const own = await startRights({ policy, tags: OWNED });
    const other = await startRights({ policy });

    await new EC2Client(own.fn).send(terminate);
    await expect(new EC2Client(other.fn).send(terminate)).rejects.toMatchObject({
      name: 'UnauthorizedOperation',
    });
  });

  it('end where a policy denies the code of a function what Lambda itself may do', async () => {
    const context = { 'lambda:SourceFunctionArn': 'arn:aws:lambda:us-east-1:1:function:sweep' };
    const deny = {
      ...{ Effect: 'Deny', Action: 'ec2:DescribeSubnets', Resource: '*' },
      Condition: { ArnEquals: context },
    };
    const { fn } = await startRights({ policy: [allow('ec2:*'), deny], context });

    await expect(new EC2Client(fn).send(new DescribeSubnetsCommand())).rejects.toMatchObject({
      name: 'UnauthorizedOperation',
    });
  });

  it('hide whether an object of S3 exists, unless they have its list', async () => {
    const read = allow('s3:GetObject');
    const hidden = await startRights({ policy: [read] });
    const listed = await startRights({ policy: [read, allow('s3:ListBucket')] });
    const get = (settings: object) =>
      new S3Client({ ...settings, forcePathStyle: true }).send(
        new GetObjectCommand({ Bucket: 'prices', Key: 'record' }),
      );

    await expect(get(hidden.fn)).rejects.toMatchObject({ name: 'AccessDenied' });
    await expect(get(listed.fn)).rejects.toMatchObject({ name: 'NoSuchKey' });
    expect(() => hidden.report.check()).not.toThrow();
  });
});
