import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { splitIntoBatches } from '../../../model/batches.ts';
import { retryThrottled, type ThrottleOptions, waitBeforeRetry } from './throttling.ts';

const MAX_KEYS = 100;

interface RowKey {
  readonly pk: string;
  readonly sk: string;
}
type Attributes = Readonly<Record<string, unknown>>;

/** DynamoDB leaves keys out if the answer exceeds 16 MB or a partition is throttled. */
class UnprocessedKeysError extends Error {
  override readonly name = 'ThrottlingException';
}

/** Reads rows by their keys, in parallel requests of a hundred, until each key was answered. */
export async function batchGet(
  dynamo: DynamoDBDocumentClient,
  table: string,
  keys: readonly RowKey[],
  throttling: ThrottleOptions,
): Promise<readonly Attributes[]> {
  const answers = await Promise.all(
    splitIntoBatches(keys, MAX_KEYS).map((batch) => readAll(dynamo, table, batch, throttling)),
  );
  return answers.flat();
}

/** Each answer must bring some rows; requests that bring none count as throttled. */
async function readAll(
  dynamo: DynamoDBDocumentClient,
  table: string,
  keys: readonly RowKey[],
  throttling: ThrottleOptions,
): Promise<readonly Attributes[]> {
  const rows: Attributes[] = [];
  let remaining: readonly Attributes[] = keys.map((key) => ({ ...key }));
  for (let retry = 0; remaining.length > 0; retry += 1) {
    if (retry > 0) await waitBeforeRetry(retry, throttling);
    const before = remaining;
    remaining = await retryThrottled(async () => {
      const request = new BatchGetCommand({ RequestItems: { [table]: { Keys: [...before] } } });
      const { Responses = {}, UnprocessedKeys = {} } = await dynamo.send(request);
      rows.push(...(Responses[table] ?? []));
      const unprocessed = UnprocessedKeys[table]?.Keys ?? [];
      if (unprocessed.length === before.length)
        throw new UnprocessedKeysError('no key was processed');
      return unprocessed;
    }, throttling);
  }
  return rows;
}
