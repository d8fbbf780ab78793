import {
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import {
  CreateTableCommand,
  DeleteTableCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteLaunchTemplateCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  DeleteRoleCommand,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { type CloudClients, createCloudClients } from '../lab/aws/cloud-clients.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect, type Scenario } from '../scenario.ts';

const MIB = 1024 * 1024;
const ROLE = {
  Type: 'AWS::IAM::Role',
  Properties: { RoleName: 'limits', AssumeRolePolicyDocument: { Statement: [] } },
};
const FAILS = {
  Type: 'AWS::Lambda::Function',
  DependsOn: 'Role',
  Properties: {
    Code: { ZipFile: 'export const handler = () => 1;' },
    Runtime: 'nodejs24.x',
    Handler: 'index.handler',
    Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
    // More than Lambda allows.
    Environment: { Variables: { TEXT: 'x'.repeat(5_000) } },
  },
};

/** The emulators enforce these limits by themselves; the rules of the lab add the rest. */
export const serviceLimits: Scenario = {
  name: 'the local AWS refuses what AWS refuses, and CloudFormation rolls back and retains',
  id: 'limits',
  isOnce: true,
  async run(lab) {
    const url = lab.awsEnvironment.AWS_ENDPOINT_URL ?? '';
    const cloud = createCloudClients(url, url);
    await lab.resources.remember('limits');
    await checkQueues(cloud);
    await checkTables(cloud);
    await checkInstances(cloud);
    await checkTemplates(cloud);
    await checkStacks(cloud);
    const added = await lab.resources.addedSince('limits');
    expect(added.length === 0, `left: ${added.join(', ')}`);
    return {};
  },
};

/** Checks that a request fails with an error of this name. */
async function expectRefusal(what: string, request: Promise<unknown>, name: RegExp): Promise<void> {
  const refusal = await request.then(
    () => 'nothing',
    (error: unknown) => String(error),
  );
  expect(name.test(refusal), `${what} was answered with ${refusal}`);
}

async function checkQueues({ sqs }: CloudClients): Promise<void> {
  const { QueueUrl } = await sqs.send(
    new CreateQueueCommand({
      QueueName: 'limits.fifo',
      Attributes: { FifoQueue: 'true', VisibilityTimeout: '60' },
    }),
  );
  const send = (MessageBody: string, MessageDeduplicationId = MessageBody.slice(0, 9)) =>
    sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody,
        MessageDeduplicationId,
        MessageGroupId: 'a',
      }),
    );
  const receive = async (): Promise<readonly string[]> => {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    return Messages.map(({ ReceiptHandle = '' }) => ReceiptHandle);
  };
  await expectRefusal('a message of more than 1 MiB', send('x'.repeat(MIB + 1)), /InvalidParameter/);
  await send('once');
  await send('once again', 'once');
  const [first = ''] = await receive();
  expect(first !== '', 'a message was lost');
  expect((await receive()).length === 0, 'an invisible message, or its duplicate, was received');
  await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: first, VisibilityTimeout: 0 }));
  expect((await receive()).length === 1, 'a visible message was not received');
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
}

async function checkTables({ dynamo }: CloudClients): Promise<void> {
  const TableName = 'limits';
  await dynamo.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  const itemOf = (sk: number, text: string) => ({
    ...{ pk: { S: 'a' }, sk: { S: `${sk}` } },
    text: { S: text },
  });
  const put = dynamo.send(new PutItemCommand({ TableName, Item: itemOf(1, 'x'.repeat(400 * 1024)) }));
  await expectRefusal('an item of more than 400 KB', put, /ValidationException/);
  const TransactItems = Array.from({ length: 101 }, (_, index) => ({
    Put: { TableName, Item: itemOf(index, 'x') },
  }));
  const transact = dynamo.send(new TransactWriteItemsCommand({ TransactItems }));
  await expectRefusal('a transaction of 101 items', transact, /ValidationException/);
  await dynamo.send(new DeleteTableCommand({ TableName }));
}

/**
 * @see https://docs.aws.amazon.com/ec2/latest/devguide/errors-overview.html
 */
async function checkInstances({ ec2 }: CloudClients): Promise<void> {
  const InstanceIds = ['i-0123456789abcdef0'];
  const LaunchTemplateNames = ['limits'];
  const LaunchTemplateId = 'lt-0123456789abcdef0';
  const instance = /InvalidInstanceID.NotFound/;
  const describe = ec2.send(new DescribeInstancesCommand({ InstanceIds }));
  await expectRefusal('a look at an unknown instance', describe, instance);
  const terminate = ec2.send(new TerminateInstancesCommand({ InstanceIds }));
  await expectRefusal('the end of an unknown instance', terminate, instance);
  await expectRefusal(
    'a look at an unknown template',
    ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateNames })),
    /InvalidLaunchTemplateName.NotFoundException/,
  );
  await expectRefusal(
    'the deletion of an unknown template',
    ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId })),
    /InvalidLaunchTemplateId.NotFound/,
  );
}

async function checkTemplates({ cloudFormation }: CloudClients): Promise<void> {
  const create = (resources: number, bytes = 0) =>
    cloudFormation.send(
      new CreateStackCommand({
        StackName: 'too-large',
        TemplateBody: JSON.stringify({
          Description: 'x'.repeat(bytes),
          Resources: Object.fromEntries(
            Array.from({ length: resources }, (_, index) => [`R${index}`, { Type: 'AWS::SQS::Queue' }]),
          ),
        }),
      }),
    );
  await expectRefusal('a stack of 501 resources', create(501), /ValidationError/);
  await expectRefusal('a template of more than 1 MB', create(1, 1_000_001), /ValidationError/);
}

async function checkStacks(cloud: CloudClients): Promise<void> {
  const { cloudFormation, iam } = cloud;
  const waiter = { client: cloudFormation, maxWaitTime: 60, minDelay: 1, maxDelay: 1 };
  const create = (StackName: string, Resources: object) =>
    cloudFormation.send(
      new CreateStackCommand({
        StackName,
        TemplateBody: JSON.stringify({ Resources }),
        Capabilities: ['CAPABILITY_NAMED_IAM'],
      }),
    );
  const remove = async (StackName: string): Promise<void> => {
    await cloudFormation.send(new DeleteStackCommand({ StackName }));
    await waitUntilStackDeleteComplete(waiter, { StackName });
  };
  const isRolledBack = (StackName: string): Promise<true> =>
    waitUntil(`the rollback of ${StackName}`, async () => (await statusOf(cloud, StackName)) === 'ROLLBACK_COMPLETE', {
      timeoutMs: 60_000,
    });

  // A failed first deployment keeps what has the policy Retain.
  await create('limits-retained', { Role: { ...ROLE, DeletionPolicy: 'Retain' }, Fn: FAILS });
  await isRolledBack('limits-retained');
  // The next one finds the name taken.
  await create('limits-taken', { Role: ROLE });
  await isRolledBack('limits-taken');
  await iam.send(new DeleteRoleCommand({ RoleName: 'limits' }));

  // A role in an instance profile outlives the attempt to delete its stack.
  await create('limits-used', { Role: ROLE });
  await waitUntilStackCreateComplete(waiter, { StackName: 'limits-used' });
  const profile = { InstanceProfileName: 'limits' };
  await iam.send(new CreateInstanceProfileCommand(profile));
  await iam.send(new AddRoleToInstanceProfileCommand({ ...profile, RoleName: 'limits' }));
  const failure = await remove('limits-used').then(
    () => undefined,
    () => statusOf(cloud, 'limits-used'),
  );
  expect(failure === 'DELETE_FAILED', `the stack with a used role is ${failure}`);
  await iam.send(new RemoveRoleFromInstanceProfileCommand({ ...profile, RoleName: 'limits' }));
  await iam.send(new DeleteInstanceProfileCommand(profile));
  for (const stack of ['limits-used', 'limits-retained', 'limits-taken']) await remove(stack);
}

async function statusOf({ cloudFormation }: CloudClients, StackName: string): Promise<string> {
  const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
  return Stacks[0]?.StackStatus ?? 'gone';
}
