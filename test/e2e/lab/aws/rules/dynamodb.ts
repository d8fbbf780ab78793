import * as z from 'zod';
import { type Row, rowSchema } from '../../../../support/limits/attributes.ts';
import { isConditionMet } from '../../../../support/limits/expressions.ts';
import {
  type CapacityLimits,
  PARTITION_LIMITS,
  PartitionCapacity,
} from '../../../../support/limits/partition-capacity.ts';
import type { Answer } from '../../forward.ts';
import { entriesOf, listAt, valueAt } from '../../json.ts';
import { seededFraction } from '../../seeded-fraction.ts';
import { type AwsRequest, refuse, textOf, withJson } from './aws-request.ts';
import type { Pass, Rule } from './rule.ts';

const keySchema = z.object({ pk: z.object({ S: z.string() }), sk: z.object({ S: z.string() }) });
type Key = z.output<typeof keySchema>;
const keyOf = (value: unknown): Key[] => {
  const read = keySchema.safeParse(value);
  return read.success ? [read.data] : [];
};

/** The keys that a request writes. */
function writtenKeys({ action, parameters }: AwsRequest): readonly Key[] {
  if (action === 'PutItem') return keyOf(parameters.Item);
  if (action === 'DeleteItem' || action === 'UpdateItem') return keyOf(parameters.Key);
  if (action !== 'TransactWriteItems') return [];
  return listAt(parameters, 'TransactItems').flatMap((one) => [
    ...keyOf(valueAt(one, 'Put', 'Item')),
    ...keyOf(valueAt(one, 'Delete', 'Key')),
    ...keyOf(valueAt(one, 'Update', 'Key')),
  ]);
}

/** The partition keys that a request reads. */
function readPartitions({ action, parameters }: AwsRequest): readonly string[] {
  if (action === 'GetItem') return keyOf(parameters.Key).map(({ pk }) => pk.S);
  if (action === 'Query') {
    const pk = valueAt(parameters, 'ExpressionAttributeValues', ':pk', 'S');
    return typeof pk === 'string' ? [pk] : [];
  }
  if (action !== 'BatchGetItem') return [];
  return Object.values(z.record(z.string(), z.unknown()).parse(parameters.RequestItems)).flatMap((table) =>
    listAt(table, 'Keys').flatMap((key) => keyOf(key).map(({ pk }) => pk.S)),
  );
}

/**
 * DynamoDB throttles a partition key that uses more than its units; the emulator never does.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
 */
export function partitionLimits(limits: CapacityLimits = PARTITION_LIMITS, now: () => number = Date.now): Rule {
  const capacity = new PartitionCapacity(limits, now);
  return {
    name: 'partition limits',
    async answer(request, pass) {
      if (request.service !== 'dynamodb') return pass(request);
      const written = writtenKeys(request).map(({ pk }) => pk.S);
      const access = written.length > 0 ? 'write' : 'read';
      const partitions = access === 'write' ? written : readPartitions(request);
      const full = partitions.find((pk) => !capacity.hasSome(access, pk));
      if (full !== undefined) {
        const message = `Throughput exceeds the limit of the partition of ${full}.`;
        return refuse(request, 400, 'ThrottlingException', message);
      }
      if (partitions.length === 0) return pass(request);
      const answer = await pass(withJson(request, { ReturnConsumedCapacity: 'TOTAL' }));
      const units = consumedUnits(answer) / partitions.length;
      for (const pk of partitions) capacity.spend(access, pk, units);
      return answer;
    },
  };
}

function consumedUnits({ status, body }: Answer): number {
  if (status >= 300) return 1;
  const consumed = valueAt(JSON.parse(body.toString()), 'ConsumedCapacity');
  const tables: readonly unknown[] = Array.isArray(consumed) ? consumed : [consumed];
  return tables.reduce<number>((sum, one) => sum + Number(valueAt(one, 'CapacityUnits') ?? 0), 0);
}

const toRecord = (value: unknown) => Object.fromEntries(entriesOf(value));

const MAX_LAG_MS = 1_000;

/** A row as it was before a write. */
interface Before {
  readonly row: Row | undefined;
  /** Until then, eventually consistent reads may show the row. */
  readonly until: number;
}

/**
 * Eventually consistent queries lag up to a second behind the writes.
 *
 * @param seed - gives each write its lag
 * @param emulator - answers what a row is before it is written
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.ReadConsistency.html
 */
export function laggingReads(seed: number, emulator: Pass, now: () => number = Date.now): Rule {
  const befores = new Map<string, Before>();
  let writes = 0;
  const idOf = (table: string, { pk, sk }: Key): string => JSON.stringify([table, pk.S, sk.S]);

  async function readBefore(request: AwsRequest, key: Key): Promise<readonly [string, Before]> {
    const TableName = textOf(request, 'TableName') || tableOf(request);
    const get = { TableName, Key: key, ConsistentRead: true };
    const { body } = await emulator(withJson({ ...request, action: 'GetItem' }, get, 'replace'));
    const row = rowSchema.safeParse(valueAt(JSON.parse(body.toString()), 'Item'));
    writes += 1;
    const until = now() + seededFraction(seed, 'lag', writes) * MAX_LAG_MS;
    return [idOf(TableName, key), { row: row.success ? row.data : undefined, until }];
  }

  function showEarlier(request: AwsRequest, answer: Answer): Answer {
    const [pk] = readPartitions(request);
    const content: unknown = JSON.parse(answer.body.toString());
    const items = new Map(
      listAt(content, 'Items').flatMap((item) =>
        keyOf(item).map((key) => [idOf(textOf(request, 'TableName'), key), item] as const),
      ),
    );
    for (const [id, { row, until }] of befores) {
      if (until <= now()) befores.delete(id);
      else if (id.startsWith(JSON.stringify([textOf(request, 'TableName'), pk]).slice(0, -1))) {
        if (row && isSelected(request, row)) items.set(id, row);
        else items.delete(id);
      }
    }
    const sorted = [...items].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
    const { 'x-amz-crc32': _, ...headers } = answer.headers;
    const body = { ...toRecord(content), Items: sorted, Count: sorted.length };
    return { ...answer, headers, body: Buffer.from(JSON.stringify(body)) };
  }

  return {
    name: 'lagging reads',
    isDelay: true,
    async answer(request, pass) {
      const { service, action, parameters } = request;
      if (service !== 'dynamodb') return pass(request);
      const earlier = await Promise.all(writtenKeys(request).map((key) => readBefore(request, key)));
      const answer = await pass(request);
      if (answer.status >= 300) return answer;
      for (const [id, before] of earlier) {
        if ((befores.get(id)?.until ?? 0) <= now()) befores.set(id, before);
      }
      const isEventual = action === 'Query' && parameters.ConsistentRead === false;
      return isEventual ? showEarlier(request, answer) : answer;
    },
  };
}

/** The table of a transaction; those of Mortise have one. */
const tableOf = ({ parameters }: AwsRequest): string => {
  const [first] = listAt(parameters, 'TransactItems');
  const table = ['Put', 'Delete', 'Update'].map((kind) => valueAt(first, kind, 'TableName'));
  return String(table.find((one) => one !== undefined) ?? '');
};

function isSelected({ parameters }: AwsRequest, row: Row): boolean {
  const names = z.record(z.string(), z.string()).safeParse(parameters.ExpressionAttributeNames);
  const values = rowSchema.safeParse(parameters.ExpressionAttributeValues);
  const context = {
    ...(names.success && { names: names.data }),
    ...(values.success && { values: values.data }),
  };
  const { KeyConditionExpression: keys, FilterExpression: filter } = parameters;
  const expressions = [keys, filter].filter((one): one is string => typeof one === 'string');
  return expressions.every((expression) => isConditionMet(expression, row, context));
}
