import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  paginateQuery,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { DAY_MS, type EpochMs, SECOND_MS } from '../../../model/time.ts';
import type { Version } from '../../../ports/records.ts';
import type { RowKind } from './row-kinds.ts';
import { SHARED_PARTITION_KEY } from './shared-partition-key.ts';

/**
 * The shape of a row's attributes. A row of a newer release's format is not read.
 *
 * While a deployment goes on, and after a rollback, a release reads what the next one wrote. So a
 * release may add fields under the same format: nobody trips over one that it does not know, and who
 * reads takes an older row for one that lacks them. A known field is held to its words and its shape,
 * so a new word is first read by one release, and written by the next.
 */
const FORMAT = 1;
const KEPT_AFTER_END_MS = DAY_MS;

/** A row that this release cannot read: half a list would be taken for the truth, so none is given. */
export class UnreadableRowError extends Error {
  override readonly name = 'UnreadableRowError';
  readonly row: string;

  constructor(row: string, options?: ErrorOptions) {
    super(`Row ${row} cannot be read`, options);
    this.row = row;
  }
}

type Attributes = Readonly<Record<string, unknown>>;
type Condition = Pick<
  PutCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;
type Filter = Pick<
  QueryCommandInput,
  'FilterExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** The rows of one cluster. All methods that read throw UnreadableRowError. */
export interface DynamoTable {
  get<T>(kind: RowKind, name: string, schema: z.ZodType<T>): Promise<T | undefined>;
  /** In the order of their names. @param filter - leaves rows out before they travel */
  list<T>(kind: RowKind, schema: z.ZodType<T>, filter?: Filter): Promise<T[]>;
  /** @returns whether the condition held, and so the row was written */
  put(kind: RowKind, name: string, row: Attributes, condition: Condition): Promise<boolean>;
  /** Those whose end has not come. */
  listUnexpired<T>(kind: RowKind, schema: z.ZodType<T>, now: EpochMs): Promise<T[]>;
  /** Writes a row that ends at `until`, unless one that lasts longer is there. */
  putUntil(kind: RowKind, name: string, row: Attributes, until: EpochMs): Promise<void>;
  /** Those of `putShortLived` whose end has not come. What is over is neither read nor paid for. */
  listShortLived<T>(kind: RowKind, schema: z.ZodType<T>, now: EpochMs): Promise<T[]>;
  /** Writes one of many rows that soon end: DynamoDB may leave them there for days. */
  putShortLived(kind: RowKind, name: string, row: Attributes, until: EpochMs): Promise<void>;
  /** No error if absent. */
  remove(kind: RowKind, name: string): Promise<void>;
}

/** @see RowKind for what is where */
export const dynamoTable = (
  client: DynamoDBClient,
  { table, cluster }: { readonly table: string; readonly cluster: string },
): DynamoTable => createTable(client, table, `Cluster#${cluster}`);

/** What clusters learn from each other, in a table that all of them know by its name. */
export const sharedTable = (client: DynamoDBClient, table: string): DynamoTable =>
  createTable(client, table, SHARED_PARTITION_KEY);

function createTable(client: DynamoDBClient, table: string, pk: string): DynamoTable {
  // An optional field that is present and undefined is a field that is left out.
  const marshallOptions = { removeUndefinedValues: true };
  const dynamo = DynamoDBDocumentClient.from(client, { marshallOptions });
  const toKey = (kind: RowKind, name: string) => ({ pk, sk: `${kind}#${name}` });

  async function query<T>(
    schema: z.ZodType<T>,
    keys: { readonly that: string; readonly values: Readonly<Record<string, string>> },
    filter: Filter = {},
  ): Promise<T[]> {
    const pages = paginateQuery(
      { client: dynamo },
      {
        TableName: table,
        ConsistentRead: true,
        ...filter,
        KeyConditionExpression: `pk = :pk AND ${keys.that}`,
        ExpressionAttributeValues: {
          ...filter.ExpressionAttributeValues,
          ...keys.values,
          ':pk': pk,
        },
      },
    );
    const rows: T[] = [];
    for await (const { Items = [] } of pages) {
      rows.push(...Items.map((item) => parseRow(item, schema)));
    }
    return rows;
  }

  const list: DynamoTable['list'] = (kind, schema, filter) =>
    query(schema, { that: 'begins_with(sk, :prefix)', values: { ':prefix': `${kind}#` } }, filter);

  async function put(
    kind: RowKind,
    name: string,
    row: Attributes,
    condition: Condition,
  ): Promise<boolean> {
    const Item = { ...row, ...toKey(kind, name), format: FORMAT };
    try {
      await dynamo.send(new PutCommand({ TableName: table, Item, ...condition }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  return {
    list,
    put,
    async get(kind, name, schema) {
      const Key = toKey(kind, name);
      const { Item } = await dynamo.send(
        new GetCommand({ TableName: table, Key, ConsistentRead: true }),
      );
      return Item && parseRow(Item, schema);
    },
    listUnexpired: (kind, schema, now) => list(kind, schema, unexpiredAt(now)),
    async putUntil(kind, name, row, until) {
      const expiresAt = toExpiry(until + KEPT_AFTER_END_MS);
      await put(kind, name, { ...row, until, expiresAt }, unlessLaterThan(until));
    },
    listShortLived: (kind, schema, now) =>
      query(schema, {
        that: 'sk BETWEEN :first AND :last',
        values: { ':first': `${kind}#${now + 1}`, ':last': `${kind}#${AFTER_ALL_DIGITS}` },
      }),
    async putShortLived(kind, name, row, until) {
      const expiresAt = toExpiry(until + KEPT_AFTER_END_MS);
      await put(kind, `${until}#${name}`, { ...row, until, expiresAt }, {});
    },
    async remove(kind, name) {
      await dynamo.send(new DeleteCommand({ TableName: table, Key: toKey(kind, name) }));
    },
  };
}

// Two conditions, not one with OR: an OR would bring back a row that is gone since it was read.
/** Nobody wrote the row since it had this `version`; 0: there is none. */
export const ifVersion = (seen: Version): Condition =>
  seen === 0
    ? { ConditionExpression: 'attribute_not_exists(sk)' }
    : { ConditionExpression: 'version = :seen', ExpressionAttributeValues: { ':seen': seen } };

/** As DynamoDB's TTL wants it: whole seconds. */
export const toExpiry = (at: EpochMs): number => Math.ceil(at / SECOND_MS);

const formatSchema = z.object({ format: z.literal(FORMAT) });

function parseRow<T>(item: Attributes, schema: z.ZodType<T>): T {
  try {
    formatSchema.parse(item);
    return schema.parse(item);
  } catch (cause) {
    throw new UnreadableRowError(String(item.sk), { cause });
  }
}

/** Instants have thirteen digits until the year 2286, so that they sort as text. */
const AFTER_ALL_DIGITS = ':';

// `until` is one of DynamoDB's reserved words.
const UNTIL = { ExpressionAttributeNames: { '#until': 'until' } };

const unexpiredAt = (now: EpochMs): Filter => ({
  ...UNTIL,
  FilterExpression: '#until > :now',
  ExpressionAttributeValues: { ':now': now },
});

const unlessLaterThan = (until: EpochMs): Condition => ({
  ...UNTIL,
  ConditionExpression: 'attribute_not_exists(sk) OR #until < :until',
  ExpressionAttributeValues: { ':until': until },
});
