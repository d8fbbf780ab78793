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
import { DAY_MS, type EpochMs, SECOND_MS } from '../model/time.ts';
import type { Version } from '../ports/node-claims.ts';
import { LEARNED_ROWS } from './learned-rows.ts';

/**
 * One table holds the records of a cluster, one kind next to the other:
 *
 * | Kind | `sk` | Written | Read | Expires |
 * | --- | --- | --- | --- | --- |
 * | NodeClaim | `NodeClaim#<name>` | if nobody wrote it since it was read | one by name; all that are not terminated | a week after its end |
 * | EndedNodeClaim | `EndedNodeClaim#<name>#<version>` | before the claim's own row says that it is over | one by name | two weeks after its end |
 * | Command | `Command#<id>` | once | all | – |
 * | Nomination | `Nomination#<end>#<hash of nodes and claims>` | always | all that last | a day after its end |
 * | UnavailableOffering | `UnavailableOffering#<type>#<zone>#<capacity type>`, `*` for any | if nobody marked it since it was read | one by name; all that last | when it is as if it had never been |
 * | LearnedSize | `LearnedSize#<image>#<type>#<setup>` | if nobody learned since it was read | one by name; all that last | 60 days after the last node |
 * | NodeClass | `NodeClass#<name>` | unless one that was resolved later is there | one by name; all | – |
 * | LaunchTemplate | `LaunchTemplate#<name>` | unless a use that lasts longer is there | one by name; all that last | a day after its end |
 * | CallBudget | `CallBudget#changes` | if nobody wrote it since it was read | that one | – |
 * | Taken | `Taken#<end>#<launch>` | always | all that last | a day after EC2's own counts have it |
 * | Launch | `Launch#<id>` | if nobody wrote it since it was read | one by id; all | taken away an hour after its end |
 * | Lease | `Lease#<role>` | if it is free, or its holder's | one by role | – |
 * | Commit | `Commit#latest` | if it is the next one, and of the latest lease | that one | – |
 * | WakeUp | `WakeUp#<claim>` | if it is the next generation | one by claim | a week after it was due |
 * | PoolBackoff, DriftBackoff | `PoolBackoff#<pool>`, … | always | all | a day after its end |
 * | StoppedRollout | `StoppedRollout#<class>` | always | all | after 90 days |
 * | Identity | `Identity#cluster` | once | that one | – |
 * | Sweep | `Sweep#notes` | by who has the sweep's lease | that one | – |
 * | CommitPart | `CommitPart#<commit>#<number>` | before its commit | those of a large commit that is open | a day after |
 * | Installation | `Installation#cluster` | by who sets the cluster up | that one | – |
 * | ZonalShift | `ZonalShift#cluster` | if nobody wrote it since it was read | that one | – |
 * | Poll | `Poll#loop` | if its turn is still the one that was read | that one | – |
 *
 * `pk` is `Cluster#<cluster>`, or `Shared#learned` where clusters share what they learn: one query over a prefix of `sk` lists a kind, and no index is needed.
 * Every read is consistent. `expiresAt`, in seconds, is the table's TTL attribute; DynamoDB takes
 * rows away days later than that, so who reads compares the time as well.
 */
export type RowKind =
  | 'NodeClaim'
  | 'EndedNodeClaim'
  | 'Command'
  | 'Nomination'
  | 'UnavailableOffering'
  | 'LearnedSize'
  | 'NodeClass'
  | 'LaunchTemplate'
  | 'Taken'
  | 'CallBudget'
  | 'Launch'
  | 'Lease'
  | 'Commit'
  | 'CommitPart'
  | 'Sweep'
  | 'Identity'
  | 'PoolBackoff'
  | 'DriftBackoff'
  | 'StoppedRollout'
  | 'WakeUp'
  | 'Installation'
  | 'ZonalShift'
  | 'Poll';

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
  listLasting<T>(kind: RowKind, schema: z.ZodType<T>, now: EpochMs): Promise<T[]>;
  /** Writes a row that ends at `until`, unless one that lasts longer is there. */
  putLasting(kind: RowKind, name: string, row: Attributes, until: EpochMs): Promise<void>;
  /** Those of `putBrief` whose end has not come. What is over is neither read nor paid for. */
  listBrief<T>(kind: RowKind, schema: z.ZodType<T>, now: EpochMs): Promise<T[]>;
  /** Writes one of many rows that soon end: DynamoDB may leave them there for days. */
  putBrief(kind: RowKind, name: string, row: Attributes, until: EpochMs): Promise<void>;
  /** No error if absent. */
  remove(kind: RowKind, name: string): Promise<void>;
}

/** @see RowKind for what is where */
export const dynamoTable = (
  client: DynamoDBClient,
  { table, cluster }: { readonly table: string; readonly cluster: string },
): DynamoTable => rowsUnder(client, table, `Cluster#${cluster}`);

/** What clusters learn from each other, in a table that all of them know by its name. */
export const sharedTable = (client: DynamoDBClient, table: string): DynamoTable =>
  rowsUnder(client, table, LEARNED_ROWS);

function rowsUnder(client: DynamoDBClient, table: string, pk: string): DynamoTable {
  // An optional field that is present and undefined is a field that is left out.
  const marshallOptions = { removeUndefinedValues: true };
  const dynamo = DynamoDBDocumentClient.from(client, { marshallOptions });
  const keyOf = (kind: RowKind, name: string) => ({ pk, sk: `${kind}#${name}` });

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
      rows.push(...Items.map((item) => read(item, schema)));
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
    const Item = { ...row, ...keyOf(kind, name), format: FORMAT };
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
      const Key = keyOf(kind, name);
      const { Item } = await dynamo.send(
        new GetCommand({ TableName: table, Key, ConsistentRead: true }),
      );
      return Item && read(Item, schema);
    },
    listLasting: (kind, schema, now) => list(kind, schema, lastingAt(now)),
    async putLasting(kind, name, row, until) {
      const expiresAt = toExpiry(until + KEPT_AFTER_END_MS);
      await put(kind, name, { ...row, until, expiresAt }, unlessLaterThan(until));
    },
    listBrief: (kind, schema, now) =>
      query(schema, {
        that: 'sk BETWEEN :first AND :last',
        values: { ':first': `${kind}#${now + 1}`, ':last': `${kind}#${AFTER_ALL_DIGITS}` },
      }),
    async putBrief(kind, name, row, until) {
      const expiresAt = toExpiry(until + KEPT_AFTER_END_MS);
      await put(kind, `${until}#${name}`, { ...row, until, expiresAt }, {});
    },
    async remove(kind, name) {
      await dynamo.send(new DeleteCommand({ TableName: table, Key: keyOf(kind, name) }));
    },
  };
}

// Two conditions, not one with OR: an OR would bring back a row that is gone since it was read.
/** Nobody wrote the row since it had this `version`; 0: there is none. */
export const unchangedSince = (seen: Version): Condition =>
  seen === 0
    ? { ConditionExpression: 'attribute_not_exists(sk)' }
    : { ConditionExpression: 'version = :seen', ExpressionAttributeValues: { ':seen': seen } };

/** As DynamoDB's TTL wants it: whole seconds. */
export const toExpiry = (at: EpochMs): number => Math.ceil(at / SECOND_MS);

const formatSchema = z.object({ format: z.literal(FORMAT) });

function read<T>(item: Attributes, schema: z.ZodType<T>): T {
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

const lastingAt = (now: EpochMs): Filter => ({
  ...UNTIL,
  FilterExpression: '#until > :now',
  ExpressionAttributeValues: { ':now': now },
});

const unlessLaterThan = (until: EpochMs): Condition => ({
  ...UNTIL,
  ConditionExpression: 'attribute_not_exists(sk) OR #until < :until',
  ExpressionAttributeValues: { ':until': until },
});
