import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { type Row, readUnits, rowBytes, rowSchema, writeUnits } from './attributes.ts';
import { compareText, isConditionMet } from './expressions.ts';
import { type CapacityLimits, PARTITION_LIMITS, PartitionCapacity } from './partition-capacity.ts';
import { type AnswerOperation, inProcessService, ServiceError } from './sdk-service.ts';
import type { Timeline } from './timeline.ts';

const MAX_ROW_BYTES = 400 * 1024;
const MAX_PAGE_BYTES = 1024 * 1024;
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
const MAX_BATCH_KEYS = 100;
const MAX_TRANSACTION_ITEMS = 100;

const keySchema = z.object({ pk: z.object({ S: z.string() }), sk: z.object({ S: z.string() }) });
type Key = z.output<typeof keySchema>;

const conditionFields = {
  ConditionExpression: z.string().exactOptional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).exactOptional(),
  ExpressionAttributeValues: rowSchema.exactOptional(),
};
const putSchema = z.object({ Item: rowSchema, ...conditionFields });
const deleteSchema = z.object({ Key: keySchema, ...conditionFields });
const getSchema = z.object({ Key: keySchema, ConsistentRead: z.boolean().default(false) });
const querySchema = z.object({
  KeyConditionExpression: z.string(),
  FilterExpression: z.string().exactOptional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).exactOptional(),
  ExpressionAttributeValues: rowSchema.exactOptional(),
  ExclusiveStartKey: keySchema.exactOptional(),
  ConsistentRead: z.boolean().default(false),
});
const batchGetSchema = z.object({
  RequestItems: z.record(
    z.string(),
    z.object({ Keys: z.array(keySchema), ConsistentRead: z.boolean().default(false) }),
  ),
});
const transactSchema = z.object({
  TransactItems: z.array(
    z.object({
      Put: putSchema.exactOptional(),
      Delete: deleteSchema.exactOptional(),
      ConditionCheck: deleteSchema.exactOptional(),
    }),
  ),
});
type Conditional = Pick<z.output<typeof putSchema>, keyof typeof conditionFields>;

export interface LimitedTableOptions {
  readonly timeline: Pick<Timeline, 'now' | 'sleep'>;
  readonly capacity?: Partial<CapacityLimits>;
  /** How long the service takes to answer a request. */
  readonly latencyMs?: number;
  /** Rows that the table has from the beginning. */
  readonly rows?: readonly Row[];
}

/** The requests and units that a table has answered. */
export interface TableUsage {
  readUnits: number;
  writeUnits: number;
  requests: number;
  throttled: number;
}

export interface LimitedTable {
  readonly client: DynamoDBClient;
  readonly usage: TableUsage;
  /** Answers an operation of DynamoDB's JSON protocol. */
  readonly answer: AnswerOperation;
  /** Every row, as it is stored. */
  rows(): readonly Row[];
}

/**
 * A table in memory with DynamoDB's limits: units per second and partition key, sizes of rows,
 * pages and batches. It throttles as the service does; other emulators never do.
 */
export function createLimitedTable(options: LimitedTableOptions): LimitedTable {
  const { timeline, latencyMs = 0 } = options;
  const engine = new TableEngine(options);
  const answer: AnswerOperation = async (operation, input) => {
    await timeline.sleep(latencyMs);
    engine.usage.requests += 1;
    return engine.answer(operation, input);
  };
  const client = new DynamoDBClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: inProcessService(answer),
    maxAttempts: 1,
  });
  return { client, usage: engine.usage, answer, rows: () => engine.rows() };
}

class TableEngine {
  readonly usage: TableUsage = { readUnits: 0, writeUnits: 0, requests: 0, throttled: 0 };
  readonly #capacity: PartitionCapacity;
  readonly #partitions = new Map<string, Map<string, Row>>();
  /** The sort keys of each partition, in order; dropped when one is added or removed. */
  readonly #sorted = new Map<string, readonly string[]>();

  constructor({ timeline, capacity, rows = [] }: LimitedTableOptions) {
    const limits = { ...PARTITION_LIMITS, ...capacity };
    this.#capacity = new PartitionCapacity(limits, () => timeline.now());
    for (const row of rows) this.#store(keySchema.parse(row), row);
  }

  rows(): readonly Row[] {
    return [...this.#partitions.values()].flatMap((rows) => [...rows.values()]);
  }

  answer(operation: string, input: unknown): object {
    switch (operation) {
      case 'GetItem':
        return this.#get(getSchema.parse(input));
      case 'PutItem':
        return this.#write([putSchema.parse(input)]);
      case 'DeleteItem':
        return this.#write([deleteSchema.parse(input)]);
      case 'Query':
        return this.#query(querySchema.parse(input));
      case 'BatchGetItem':
        return this.#batchGet(batchGetSchema.parse(input));
      case 'TransactWriteItems':
        return this.#transact(transactSchema.parse(input));
      default:
        throw new ServiceError('UnknownOperationException', `no operation ${operation}`);
    }
  }

  #find({ pk, sk }: Key): Row | undefined {
    return this.#partitions.get(pk.S)?.get(sk.S);
  }

  #admit(access: 'read' | 'write', pk: string): void {
    if (this.#capacity.hasSome(access, pk)) return;
    this.usage.throttled += 1;
    throw new ServiceError('ThrottlingException', `Throughput exceeds the limit of ${pk}`);
  }

  #spend(access: 'read' | 'write', pk: string, units: number): void {
    this.#capacity.spend(access, pk, units);
    this.usage[access === 'read' ? 'readUnits' : 'writeUnits'] += units;
  }

  #get({ Key, ConsistentRead }: z.output<typeof getSchema>): object {
    this.#admit('read', Key.pk.S);
    const row = this.#find(Key);
    this.#spend('read', Key.pk.S, readUnits(row ? rowBytes(row) : 0, ConsistentRead));
    return row ? { Item: row } : {};
  }

  #batchGet({ RequestItems }: z.output<typeof batchGetSchema>): object {
    const responses: Record<string, Row[]> = {};
    const unprocessed: Record<string, { readonly Keys: Key[]; ConsistentRead: boolean }> = {};
    const requested = Object.values(RequestItems).flatMap(({ Keys }) => Keys);
    checkCount(requested.length, MAX_BATCH_KEYS);
    let bytes = 0;
    for (const [table, { Keys, ConsistentRead }] of Object.entries(RequestItems)) {
      const answered: Row[] = [];
      const skipped: Key[] = [];
      for (const Key of Keys) {
        const row = this.#find(Key);
        const size = row ? rowBytes(row) : 0;
        if (bytes + size > MAX_BATCH_BYTES || !this.#capacity.hasSome('read', Key.pk.S)) {
          skipped.push(Key);
          continue;
        }
        bytes += size;
        this.#spend('read', Key.pk.S, readUnits(size, ConsistentRead));
        if (row) answered.push(row);
      }
      responses[table] = answered;
      if (skipped.length > 0) unprocessed[table] = { Keys: skipped, ConsistentRead };
    }
    const skippedCount = Object.values(unprocessed).reduce((sum, { Keys }) => sum + Keys.length, 0);
    if (skippedCount === requested.length) this.#admit('read', requested[0]?.pk.S ?? '');
    return { Responses: responses, UnprocessedKeys: unprocessed };
  }

  #query(query: z.output<typeof querySchema>): object {
    const context = toContext(query);
    const pk = findPartition(query.KeyConditionExpression, context.values);
    this.#admit('read', pk);
    const partition = this.#partitions.get(pk) ?? new Map<string, Row>();
    const after = query.ExclusiveStartKey?.sk.S;
    const items: Row[] = [];
    let bytes = 0;
    let last: string | undefined;
    for (const sk of this.#sortKeys(pk)) {
      const row = partition.get(sk);
      if (!row || (after !== undefined && sk <= after)) continue;
      if (!isConditionMet(query.KeyConditionExpression, row, context)) continue;
      bytes += rowBytes(row);
      if (isConditionMet(query.FilterExpression, row, context)) items.push(row);
      if (bytes >= MAX_PAGE_BYTES) {
        last = sk;
        break;
      }
    }
    this.#spend('read', pk, readUnits(bytes, query.ConsistentRead));
    const LastEvaluatedKey = last === undefined ? {} : { pk: { S: pk }, sk: { S: last } };
    return { Items: items, ...(last !== undefined && { LastEvaluatedKey }) };
  }

  #sortKeys(pk: string): readonly string[] {
    const cached = this.#sorted.get(pk);
    if (cached) return cached;
    const keys = [...(this.#partitions.get(pk)?.keys() ?? [])].toSorted(compareText);
    this.#sorted.set(pk, keys);
    return keys;
  }

  #transact({ TransactItems }: z.output<typeof transactSchema>): object {
    checkCount(TransactItems.length, MAX_TRANSACTION_ITEMS);
    const writes = TransactItems.flatMap(({ Put, Delete, ConditionCheck }): Write[] => {
      if (ConditionCheck) return [{ ...ConditionCheck, isCheck: true }];
      return [Put, Delete].flatMap((write) => write ?? []);
    });
    return this.#write(writes, true);
  }

  #write(writes: readonly Write[], isTransaction = false): object {
    const factor = isTransaction ? 2 : 1;
    for (const write of writes) this.#admit('write', keyOf(write).pk.S);
    const results = writes.map((write) => this.#prepare(write));
    for (const { key, units } of results) this.#spend('write', key.pk.S, units * factor);
    const failed = results.filter(({ isMet }) => !isMet);
    if (failed.length > 0) throw conditionFailed(isTransaction, results);
    for (const [index, write] of writes.entries()) {
      const key = results[index]?.key;
      if (key && !('isCheck' in write)) this.#store(key, 'Item' in write ? write.Item : undefined);
    }
    return {};
  }

  #prepare(write: Write): { readonly key: Key; readonly units: number; readonly isMet: boolean } {
    const key = keyOf(write);
    const before = this.#find(key);
    const bytes = 'Item' in write ? rowBytes(write.Item) : 0;
    if (bytes > MAX_ROW_BYTES) {
      throw new ServiceError('ValidationException', 'Item size has exceeded the maximum allowed');
    }
    const units = writeUnits(Math.max(bytes, before ? rowBytes(before) : 0));
    return {
      key,
      units,
      isMet: isConditionMet(write.ConditionExpression, before, toContext(write)),
    };
  }

  #store({ pk, sk }: Key, row: Row | undefined): void {
    const partition = this.#partitions.get(pk.S) ?? new Map<string, Row>();
    this.#partitions.set(pk.S, partition);
    if (!row || !partition.has(sk.S)) this.#sorted.delete(pk.S);
    if (row) partition.set(sk.S, row);
    else partition.delete(sk.S);
  }
}

type Write = (z.output<typeof putSchema> | z.output<typeof deleteSchema>) & {
  readonly isCheck?: true;
};

const keyOf = (write: Write): Key => ('Key' in write ? write.Key : keySchema.parse(write.Item));

const toContext = ({
  ExpressionAttributeNames: names,
  ExpressionAttributeValues: values,
}: Pick<Conditional, 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>) => ({
  ...(names && { names }),
  ...(values && { values }),
});

/** A query names its partition as `pk = :value`. */
function findPartition(expression: string, values: Row | undefined): string {
  const name = /\bpk = (:\w+)/.exec(expression)?.[1];
  const value = name === undefined ? undefined : values?.[name];
  if (!value || !('S' in value)) {
    throw new ServiceError('ValidationException', 'Query condition missed key schema element: pk');
  }
  return value.S;
}

function checkCount(count: number, max: number): void {
  if (count <= max) return;
  throw new ServiceError('ValidationException', `Too many items requested: ${count} > ${max}`);
}

function conditionFailed(isTransaction: boolean, results: readonly { readonly isMet: boolean }[]): ServiceError {
  if (!isTransaction) {
    return new ServiceError('ConditionalCheckFailedException', 'The conditional request failed');
  }
  const CancellationReasons = results.map(({ isMet }) => ({
    Code: isMet ? 'None' : 'ConditionalCheckFailed',
  }));
  return new ServiceError('TransactionCanceledException', 'Transaction cancelled', {
    CancellationReasons,
  });
}
