import type { PutCommandInput, QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { type EpochMs, SECOND_MS } from '../../../model/time.ts';
import type { RecordVersion } from '../../../ports/records.ts';

/** The condition of a write. */
export type Condition = Pick<
  PutCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;
/** The rows that a query returns, and how fresh they are. */
export type Filter = Pick<
  QueryCommandInput,
  'FilterExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues' | 'ConsistentRead'
>;

/**
 * The condition that the row still has the version that was read; 0 means that there is no row. The two
 * cases have separate conditions: one condition with OR would recreate a row that was deleted after it was
 * read.
 */
export const ifVersion = (readVersion: RecordVersion): Condition =>
  readVersion === 0
    ? { ConditionExpression: 'attribute_not_exists(sk)' }
    : {
        ConditionExpression: 'version = :seen',
        ExpressionAttributeValues: { ':seen': readVersion },
      };

/** Converts to the unit of DynamoDB's TTL attribute: whole seconds. */
export const toExpiry = (at: EpochMs): number => Math.ceil(at / SECOND_MS);

// `until` is a reserved word of DynamoDB.
const UNTIL = { ExpressionAttributeNames: { '#until': 'until' } };

export const unexpiredAt = (now: EpochMs): Filter => ({
  ...UNTIL,
  FilterExpression: '#until > :now',
  ExpressionAttributeValues: { ':now': now },
});

export const unlessLaterThan = (until: EpochMs): Condition => ({
  ...UNTIL,
  ConditionExpression: 'attribute_not_exists(sk) OR #until < :until',
  ExpressionAttributeValues: { ':until': until },
});
