import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod';
import { limitConcurrency } from '../../../model/concurrency.ts';
import type { UnreadableRowError } from '../../../model/errors.ts';
import { DAY_MS, type EpochMs } from '../../../model/time.ts';
import type { RecordList, UnreadableRecord } from '../../../ports/records.ts';
import { batchGet } from './batch-get.ts';
import { type Condition, type Filter, toExpiry, unexpiredAt, unlessLaterThan } from './conditions.ts';
import { listPartitions, toPartition } from './partitions.ts';
import { queryPartitions, type SortKeys } from './query-partitions.ts';
import { type Attributes, createRowReader, type ReportUnreadable, ROW_FORMAT, toUnreadable } from './read-rows.ts';
import type { RowKind } from './row-kinds.ts';
import { SHARED_PARTITION_KEY } from './shared-partition-key.ts';
import { retryThrottled, type ThrottleOptions } from './throttling.ts';

const KEPT_AFTER_END_MS = DAY_MS;

/**
 * Two tables share a client with 50 connections. A request that waits for a connection counts as one
 * that cannot connect, and fails after a second.
 */
const MAX_REQUESTS = 20;

/**
 * The rows of one cluster. All methods that read throw UnreadableRowError, except for rows of
 * ADVISORY_KINDS, which are left out, and for `listReadable`.
 */
export interface DynamoTable {
  get<T>(kind: RowKind, name: string, schema: z.ZodType<T>): Promise<T | undefined>;
  /**
   * Reads rows by their names, a hundred in a request. A row may be a second old, so this is for rows
   * that never change. No stored row is missing.
   *
   * @returns the rows by name, without those that do not exist or cannot be read
   */
  getMany<T>(kind: RowKind, names: readonly string[], schema: z.ZodType<T>): Promise<ReadonlyMap<string, T>>;
  /**
   * Lists the rows in the order of their names; those of a kind with several partitions in no order.
   *
   * @param filter - DynamoDB drops rows before it sends them. `ConsistentRead: false` costs half
   *   and may lack the writes of the last second.
   */
  list<T>(kind: RowKind, schema: z.ZodType<T>, filter?: Filter): Promise<T[]>;
  /** Lists like `list`; rows that cannot be read are named apart. */
  listReadable<T>(kind: RowKind, schema: z.ZodType<T>, filter?: Filter): Promise<RecordList<T>>;
  /**
   * Reports a row whose content cannot be read, for readers that parse more than its attributes.
   *
   * @returns the error to throw
   */
  refuse(kind: RowKind, name: string, cause: unknown): UnreadableRowError;
  /**
   * @returns false if the condition did not hold and the row was not written
   */
  put(kind: RowKind, name: string, row: Attributes, condition: Condition): Promise<boolean>;
  /** Lists the rows whose `until` is in the future. */
  listUnexpired<T>(kind: RowKind, schema: z.ZodType<T>, now: EpochMs): Promise<T[]>;
  /** Writes a row that expires at `until`, unless the stored row expires later. */
  putUntil(kind: RowKind, name: string, row: Attributes, until: EpochMs): Promise<void>;
  /**
   * Lists the unexpired rows of `putShortLived`. The query skips expired rows, so they cost
   * nothing.
   */
  listShortLived<T>(kind: RowKind, schema: z.ZodType<T>, now: EpochMs): Promise<T[]>;
  /**
   * Writes one of many rows with a short life. The key contains `until`, because DynamoDB may keep
   * expired rows for days.
   */
  putShortLived(kind: RowKind, name: string, row: Attributes, until: EpochMs): Promise<void>;
  /** Deletes the row. It is no error if there is none. */
  remove(kind: RowKind, name: string): Promise<void>;
}

/**
 * @see RowKind for the keys of all rows
 */
export const dynamoTable = (
  client: DynamoDBClient,
  { table, cluster }: { readonly table: string; readonly cluster: string },
  report?: ReportUnreadable,
  throttling?: ThrottleOptions,
): DynamoTable => createTable(client, { table, pk: `Cluster#${cluster}` }, report, throttling);

/**
 * The partition that several clusters share, in a table that all of them name in their settings.
 */
export const sharedTable = (client: DynamoDBClient, table: string, report?: ReportUnreadable): DynamoTable =>
  createTable(client, { table, pk: SHARED_PARTITION_KEY, isShared: true }, report);

interface TableAddress {
  readonly table: string;
  readonly pk: string;
  /** Rows of other clusters, whose release may have another format, are overwritten, never deleted. */
  readonly isShared?: true;
}

function createTable(
  client: DynamoDBClient,
  { table, pk, isShared }: TableAddress,
  report: ReportUnreadable = () => {},
  throttling: ThrottleOptions = {},
): DynamoTable {
  // An optional field that is undefined is left out of the row.
  const marshallOptions = { removeUndefinedValues: true };
  const dynamo = DynamoDBDocumentClient.from(client, { marshallOptions });
  const toKey = (kind: RowKind, name: string) => ({
    pk: toPartition(pk, kind, name),
    sk: `${kind}#${name}`,
  });
  const { refuse, readRow, parseRow } = createRowReader(report);
  /** Sort keys of rows that could not be read; whatever its condition, the next write replaces them. */
  const replaced = new Set<string>();
  const limited = limitConcurrency(MAX_REQUESTS);
  const retrying = <T>(send: () => Promise<T>): Promise<T> => retryThrottled(() => limited(send), throttling);

  const query = (kind: RowKind, keys: SortKeys, filter?: Filter): Promise<Attributes[]> =>
    queryPartitions(listPartitions(pk, kind), { table, keys, filter }, (page) => retrying(() => dynamo.send(page)));
  const queryKind = (kind: RowKind, filter?: Filter): Promise<Attributes[]> =>
    query(kind, { condition: 'begins_with(sk, :prefix)', values: { ':prefix': `${kind}#` } }, filter);

  const list: DynamoTable['list'] = async (kind, schema, filter) =>
    (await queryKind(kind, filter)).flatMap((item) => parseRow(kind, item, schema));

  const listReadable: DynamoTable['listReadable'] = async (kind, schema, filter) => {
    const rows: z.output<typeof schema>[] = [];
    const unreadable: UnreadableRecord[] = [];
    for (const item of await queryKind(kind, filter)) {
      const reading = readRow(item, schema);
      if ('row' in reading) rows.push(reading.row);
      else unreadable.push(toUnreadable(kind, reading.error));
    }
    return { records: rows, unreadable };
  };

  async function put(kind: RowKind, name: string, row: Attributes, condition: Condition): Promise<boolean> {
    const Item = { ...row, ...toKey(kind, name), format: ROW_FORMAT };
    const only = replaced.has(Item.sk) ? {} : condition;
    try {
      await retrying(() => dynamo.send(new PutCommand({ TableName: table, Item, ...only })));
      replaced.delete(Item.sk);
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  async function remove(kind: RowKind, name: string): Promise<void> {
    const row = new DeleteCommand({ TableName: table, Key: toKey(kind, name) });
    await retrying(() => dynamo.send(row));
  }

  return {
    list,
    listReadable,
    refuse: (kind, name, cause) => refuse(`${kind}#${name}`, cause),
    put,
    remove,
    async get(kind, name, schema) {
      const Key = toKey(kind, name);
      const { Item } = await retrying(() =>
        dynamo.send(new GetCommand({ TableName: table, Key, ConsistentRead: true })),
      );
      if (!Item) return undefined;
      const [row] = parseRow(kind, Item, schema);
      // A row that is read by its name is written next, on the condition that it is as it was read.
      if (row === undefined && isShared) replaced.add(Key.sk);
      else if (row === undefined) await remove(kind, name);
      return row;
    },
    async getMany(kind, names, schema) {
      const keys = names.map((name) => toKey(kind, name));
      const items = await batchGet(dynamo, table, keys, throttling);
      return new Map(
        items.flatMap((item) => {
          const name = String(item.sk).slice(kind.length + 1);
          const reading = readRow(item, schema);
          return 'row' in reading ? [[name, reading.row] as const] : [];
        }),
      );
    },
    listUnexpired: (kind, schema, now) => list(kind, schema, unexpiredAt(now)),
    async putUntil(kind, name, row, until) {
      const expiresAt = toExpiry(until + KEPT_AFTER_END_MS);
      await put(kind, name, { ...row, until, expiresAt }, unlessLaterThan(until));
    },
    async listShortLived(kind, schema, now) {
      const items = await query(kind, {
        condition: 'sk BETWEEN :first AND :last',
        values: { ':first': `${kind}#${now + 1}`, ':last': `${kind}#${AFTER_ALL_DIGITS}` },
      });
      return items.flatMap((item) => parseRow(kind, item, schema));
    },
    async putShortLived(kind, name, row, until) {
      const expiresAt = toExpiry(until + KEPT_AFTER_END_MS);
      await put(kind, `${until}#${name}`, { ...row, until, expiresAt }, {});
    },
  };
}

/** Timestamps in ms have thirteen digits until the year 2286, so they sort as text. */
const AFTER_ALL_DIGITS = ':';
