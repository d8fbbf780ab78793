import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SHARED_PARTITION_KEY } from '../../shared/aws/dynamodb/table/shared-partition-key.ts';
import { EVENT_SOURCE } from '../../shared/model/published-events/kinds.ts';
import type { Right } from './allow.ts';

/** Functions and the controller do this with rows; a claim that ends deletes those that lead to it. */
export const ROW_ACTIONS = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'DeleteItem'].map(
  (action) => `dynamodb:${action}`,
);

/** Prefix of the objects with EC2's offerings and prices. */
const CATALOGUE = 'catalogue/*';
const VIEWS = 'views/*';
const DECISIONS = ['decisions/*', 'parts/*'];

/** Allows using the rows of a table. */
export const accessRows = (tableArn: string): Right => ({
  statements: [new PolicyStatement({ actions: [...ROW_ACTIONS], resources: [tableArn] })],
});

/** Allows reading and writing learned facts, and no other row, of a table that clusters share. */
export const shareLearnedRows = (tableArn: string): Right => ({
  statements: [
    new PolicyStatement({
      actions: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:PutItem'],
      resources: [tableArn],
      conditions: {
        'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [SHARED_PARTITION_KEY] },
      },
    }),
  ],
});

const objects = (
  bucketArn: string,
  keys: readonly string[],
  actions: readonly string[],
  wildcardReason: string,
): Right => ({
  statements: [
    new PolicyStatement({
      actions: [...actions],
      resources: keys.map((key) => `${bucketArn}/${key}`),
    }),
  ],
  wildcardReason,
});

export const storeDecisions = (bucketArn: string): Right =>
  objects(bucketArn, DECISIONS, ['s3:PutObject'], 'Each decision is an object of its own.');

/** Allows reading offerings and prices, or storing them as well. */
export const accessPrices = (bucketArn: string, ...more: readonly 's3:PutObject'[]): Right =>
  objects(bucketArn, [CATALOGUE], ['s3:GetObject', ...more], 'Prices and zones, not decisions.');

/** Allows one or both of reading and storing the view of the cluster. */
export const accessView = (bucketArn: string, ...actions: readonly ('s3:GetObject' | 's3:PutObject')[]): Right =>
  objects(bucketArn, [VIEWS], actions, 'The view of the cluster is named by its certificate authority.');

/** Allows publishing events as Mortise, and as no other source. */
export const publishEvents = (busArn: string): Right => ({
  statements: [
    new PolicyStatement({
      actions: ['events:PutEvents'],
      resources: [busArn],
      conditions: { StringEquals: { 'events:source': EVENT_SOURCE } },
    }),
  ],
});

/** Allows taking the notices of EC2 from a queue. */
export const receiveNotices = (queueArn: string): Right => ({
  statements: [
    new PolicyStatement({
      actions: ['sqs:GetQueueUrl', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'],
      resources: [queueArn],
    }),
  ],
});

/** Services that use a customer key for their caller: for queues, rows, objects, secrets, environments. */
export type KeyService = 'sqs' | 'dynamodb' | 's3' | 'secretsmanager' | 'lambda';

/** @param host - the domain of services in the region, such as `eu-west-1.amazonaws.com` */
export const allowKey = (
  keyArn: string,
  actions: readonly string[],
  services: readonly KeyService[],
  host: string,
): PolicyStatement =>
  new PolicyStatement({
    actions: [...actions],
    resources: [keyArn],
    conditions: {
      StringEquals: { 'kms:ViaService': services.map((service) => `${service}.${host}`) },
    },
  });
