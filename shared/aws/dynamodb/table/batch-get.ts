import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { splitIntoBatches } from '../../../model/concurrency.ts';
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

/**
 * Reads rows by their keys, in parallel requests of a hundred, until each key was answered. The read is
 * eventually consistent, for half the cost; rows that it lacks are read again, consistently.
 */
export async function batchGet(
  dynamo: DynamoDBDocumentClient,
  table: string,
  keys: readonly RowKey[],
  throttling: ThrottleOptions,
): Promise<readonly Attributes[]> {
  const read = async (requested: readonly RowKey[], ConsistentRead: boolean) => {
    const source = { table, ConsistentRead };
    const batches = splitIntoBatches(requested, MAX_KEYS);
    return (await Promise.all(batches.map((batch) => readAll(dynamo, source, batch, throttling)))).flat();
  };
  const rows = await read(keys, false);
  const shown = new Set(rows.map(({ pk, sk }) => `${pk} ${sk}`));
  const missing = keys.filter(({ pk, sk }) => !shown.has(`${pk} ${sk}`));
  return missing.length === 0 ? rows : [...rows, ...(await read(missing, true))];
}

/** Each answer must bring some rows; requests that bring none count as throttled. */
async function readAll(
  dynamo: DynamoDBDocumentClient,
  { table, ConsistentRead }: { readonly table: string; readonly ConsistentRead: boolean },
  keys: readonly RowKey[],
  throttling: ThrottleOptions,
): Promise<readonly Attributes[]> {
  const rows: Attributes[] = [];
  let remaining: readonly Attributes[] = keys.map((key) => ({ ...key }));
  for (let retry = 0; remaining.length > 0; retry += 1) {
    if (retry > 0) await waitBeforeRetry(retry, throttling);
    const before = remaining;
    remaining = await retryThrottled(async () => {
      const source = { Keys: [...before], ConsistentRead };
      const request = new BatchGetCommand({ RequestItems: { [table]: source } });
      const { Responses = {}, UnprocessedKeys = {} } = await dynamo.send(request);
      rows.push(...(Responses[table] ?? []));
      const unprocessed = UnprocessedKeys[table]?.Keys ?? [];
      if (unprocessed.length === before.length) throw new UnprocessedKeysError('no key was processed');
      return unprocessed;
    }, throttling);
  }
  return rows;
}
