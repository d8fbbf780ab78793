import * as z from 'zod';
import {
  type Account,
  ask,
  askKey,
  type Operation,
  onAnything,
  operation,
  type ServiceRequests,
  toArn,
} from './request.ts';

/** `https://sqs.<region>.<domain>/<account>/<name>`, or that of an emulator. */
function toQueueArn(account: Account, url: string): string {
  const [owner, name = ''] = new URL(url).pathname.split('/').slice(-2);
  const isAccount = owner !== undefined && /^\d{12}$/.test(owner);
  return toArn(account, 'sqs', name, isAccount ? { account: owner } : {});
}

const onQueue = (action: string, ...keyActions: readonly string[]): Operation =>
  operation(z.object({ QueueUrl: z.string() }), ({ QueueUrl }, account) => {
    const arn = toQueueArn(account, QueueUrl);
    return [ask(account, `sqs:${action}`, arn), ...askKey(account, 'sqs', arn, ...keyActions)];
  });

/**
 * Batches need the action of a single message.
 *
 * @see docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-api-permissions-reference.html
 * @see docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
 */
export const SQS: ServiceRequests = {
  prefix: 'sqs',
  operations: {
    SendMessage: onQueue('SendMessage', 'GenerateDataKey', 'Decrypt'),
    SendMessageBatch: onQueue('SendMessage', 'GenerateDataKey', 'Decrypt'),
    ReceiveMessage: onQueue('ReceiveMessage', 'Decrypt'),
    DeleteMessage: onQueue('DeleteMessage'),
    DeleteMessageBatch: onQueue('DeleteMessage'),
    ChangeMessageVisibility: onQueue('ChangeMessageVisibility'),
    ChangeMessageVisibilityBatch: onQueue('ChangeMessageVisibility'),
    GetQueueAttributes: onQueue('GetQueueAttributes'),
    GetQueueUrl: operation(z.object({ QueueName: z.string() }), ({ QueueName }, account) => [
      ask(account, 'sqs:GetQueueUrl', toArn(account, 'sqs', QueueName)),
    ]),
  },
};

const keyText = z.union([z.string(), z.object({ S: z.string() }).transform(({ S }) => S)]);
const rowSchema = z.object({ pk: keyText });

/** A row, or the partition that a query reads. */
function onTable(
  account: Account,
  action: string,
  { TableName }: { readonly TableName: string },
  partitions: readonly string[],
) {
  const name = TableName.split('/').at(-1) ?? '';
  const arn = toArn(account, 'dynamodb', `table/${name}`);
  return [
    ask(account, `dynamodb:${action}`, arn, { 'dynamodb:LeadingKeys': partitions }),
    ...askKey(account, 'dynamodb', arn, 'Decrypt'),
  ];
}

const tableSchema = z.object({ TableName: z.string() });

const keyed = (action: string): Operation =>
  operation(tableSchema.extend({ Key: rowSchema }), (input, account) =>
    onTable(account, action, input, [input.Key.pk]),
  );

/**
 * A transaction needs the right of each of its operations.
 *
 * @see docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 * @see docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 */
export const DYNAMODB: ServiceRequests = {
  prefix: 'dynamodb',
  operations: {
    GetItem: keyed('GetItem'),
    DeleteItem: keyed('DeleteItem'),
    PutItem: operation(tableSchema.extend({ Item: rowSchema }), (input, account) =>
      onTable(account, 'PutItem', input, [input.Item.pk]),
    ),
    Query: operation(
      tableSchema.extend({ ExpressionAttributeValues: z.record(z.string(), z.unknown()) }),
      (input, account) => onTable(account, 'Query', input, [keyText.parse(input.ExpressionAttributeValues[':pk'])]),
    ),
    BatchGetItem: operation(
      z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(rowSchema) })) }),
      ({ RequestItems }, account) =>
        Object.entries(RequestItems).flatMap(([TableName, { Keys }]) =>
          onTable(account, 'BatchGetItem', { TableName }, [...new Set(Keys.map(({ pk }) => pk))]),
        ),
    ),
    TransactWriteItems: operation(
      z.object({
        TransactItems: z.array(
          z.strictObject({
            Delete: tableSchema.extend({ Key: rowSchema }).optional(),
            Put: tableSchema.extend({ Item: rowSchema }).optional(),
          }),
        ),
      }),
      ({ TransactItems }, account) =>
        TransactItems.flatMap(({ Delete, Put }) => [
          ...(Delete ? onTable(account, 'DeleteItem', Delete, [Delete.Key.pk]) : []),
          ...(Put ? onTable(account, 'PutItem', Put, [Put.Item.pk]) : []),
        ]),
    ),
  },
};

const objectSchema = z.object({ Bucket: z.string(), Key: z.string() });
const toBucketArn = (account: Account, bucket: string): string =>
  toArn(account, 's3', bucket, { region: '', account: '' });

const onBucket = (action: string): Operation =>
  operation(z.object({ Bucket: z.string() }), ({ Bucket }, account) => [
    ask(account, `s3:${action}`, toBucketArn(account, Bucket)),
  ]);

const onObject = (action: string, ...keyActions: readonly string[]): Operation =>
  operation(objectSchema, ({ Bucket, Key }, account) => {
    const bucket = toBucketArn(account, Bucket);
    return [ask(account, `s3:${action}`, `${bucket}/${Key}`), ...askKey(account, 's3', bucket, ...keyActions)];
  });

/**
 * @see docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
 * @see docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
 */
export const S3: ServiceRequests = {
  prefix: 's3',
  operations: {
    GetObject: onObject('GetObject', 'Decrypt'),
    HeadObject: onObject('GetObject'),
    PutObject: onObject('PutObject', 'GenerateDataKey'),
    GetBucketLocation: onBucket('GetBucketLocation'),
    GetBucketEncryption: onBucket('GetEncryptionConfiguration'),
    ListObjectsV2: operation(
      z.object({ Bucket: z.string(), Prefix: z.string().optional() }),
      ({ Bucket, Prefix }, account) => [
        ask(account, 's3:ListBucket', toBucketArn(account, Bucket), {
          ...(Prefix !== undefined && { 's3:prefix': Prefix }),
        }),
      ],
    ),
  },
};

const secretSchema = z.object({ SecretId: z.string() });
const onSecret = (action: string, ...keyActions: readonly string[]): Operation =>
  operation(secretSchema, ({ SecretId }, account) => [
    ask(account, `secretsmanager:${action}`, SecretId),
    ...askKey(account, 'secretsmanager', SecretId, ...keyActions),
  ]);

/** @see docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html */
export const SECRETS_MANAGER: ServiceRequests = {
  prefix: 'secretsmanager',
  operations: {
    GetSecretValue: onSecret('GetSecretValue', 'Decrypt'),
    PutSecretValue: onSecret('PutSecretValue', 'GenerateDataKey', 'Decrypt'),
    UpdateSecretVersionStage: onSecret('UpdateSecretVersionStage'),
  },
};

/** @see docs.aws.amazon.com/systems-manager/latest/userguide/sysman-paramstore-access.html */
export const SSM: ServiceRequests = {
  prefix: 'ssm',
  operations: {
    GetParameter: operation(z.object({ Name: z.string() }), ({ Name }, account) => {
      if (Name.startsWith('arn:')) return [ask(account, 'ssm:GetParameter', Name)];
      // Public parameters belong to no account.
      const owner = Name.startsWith('/aws/service/') ? { account: '' } : {};
      const name = Name.replace(/^\//, '');
      return [ask(account, 'ssm:GetParameter', toArn(account, 'ssm', `parameter/${name}`, owner))];
    }),
    SendCommand: operation(
      z.object({ DocumentName: z.string(), InstanceIds: z.array(z.string()) }),
      ({ DocumentName, InstanceIds }, account) => [
        ask(account, 'ssm:SendCommand', toArn(account, 'ssm', `document/${DocumentName}`, { account: '' })),
        ...InstanceIds.map((id) => ask(account, 'ssm:SendCommand', toArn(account, 'ec2', `instance/${id}`))),
      ],
    ),
    GetCommandInvocation: onAnything('ssm:GetCommandInvocation'),
  },
};

/** @see docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-price-list-api.html */
export const PRICING: ServiceRequests = {
  prefix: 'pricing',
  operations: { GetProducts: onAnything('pricing:GetProducts') },
};
