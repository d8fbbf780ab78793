import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { type DynamoTable, dynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import type { RowKind } from '../../../shared/aws/dynamodb/table/row-kinds.ts';
import { startDynamo } from './local-dynamo.ts';
import { ROWS } from './written-rows.ts';

/*
 * Rows as releases wrote them: `test/aws/dynamodb/releases/<version>.rows.json`. A release writes its
 * file once, before its tag:
 *
 *     node test/aws/support/kept-rows.ts 0.2.0
 */

const FOLDER = new URL('../dynamodb/releases/', import.meta.url);
/** Too large to keep: it takes half a megabyte until a commit has parts. A part has no format of its own. */
const NOT_KEPT: ReadonlySet<string> = new Set<RowKind>(['CommitPart']);
const isKind = (kind: string): kind is RowKind => Object.hasOwn(ROWS, kind);
export const KEPT_KINDS = Object.keys(ROWS)
  .filter(isKind)
  .filter((kind) => !NOT_KEPT.has(kind));

const kindSchema = z.string().refine(isKind);
const keptSchema = z.object({
  kind: kindSchema,
  /** Kind, name and attributes of what was written. */
  rows: z.array(z.tuple([kindSchema, z.string(), z.record(z.string(), z.json())])),
  /** The value that the release read from its rows. */
  value: z.json(),
});
export const keptRowsSchema = z.array(keptSchema);
type Kept = z.output<typeof keptSchema>;
type KeptRow = Kept['rows'][number];

/** Bytes are stored as text. */
const BYTES = 'base64:';
const toJson = (value: unknown): z.core.util.JSONType =>
  value instanceof Uint8Array
    ? `${BYTES}${Buffer.from(value).toString('base64')}`
    : z.json().parse(JSON.parse(JSON.stringify(value)));
const fromJson = (value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(BYTES) ? Buffer.from(value.slice(BYTES.length), 'base64') : value;

/** Writes kept rows as they are. */
export async function restoreRows(table: DynamoTable, rows: readonly KeptRow[]): Promise<void> {
  for (const [kind, name, row] of rows) {
    const attributes = Object.entries(row).map(([key, value]) => [key, fromJson(value)] as const);
    await table.put(kind, name, Object.fromEntries(attributes), {});
  }
}

/** Returns what JSON keeps of a value that was read. */
export const toValue = (value: unknown): z.core.util.JSONType => toJson(value ?? null);

function recordRows(table: DynamoTable): { readonly table: DynamoTable; readonly rows: KeptRow[] } {
  const rows: KeptRow[] = [];
  const record = (kind: RowKind, name: string, row: Readonly<Record<string, unknown>>): void => {
    const attributes = Object.entries(row).filter(([, value]) => value !== undefined);
    const json = attributes.map(([key, value]) => [key, toJson(value)] as const);
    rows.push([kind, name, Object.fromEntries(json)]);
  };
  return {
    rows,
    table: {
      ...table,
      async put(kind, name, row, condition) {
        record(kind, name, row);
        return table.put(kind, name, row, condition);
      },
      async putUntil(kind, name, row, until) {
        record(kind, name, { ...row, until });
        await table.putUntil(kind, name, row, until);
      },
      async putShortLived(kind, name, row, until) {
        record(kind, `${until}#${name}`, { ...row, until });
        await table.putShortLived(kind, name, row, until);
      },
    },
  };
}

async function keepRows(version: string): Promise<void> {
  const dynamo = await startDynamo();
  const kept: Kept[] = [];
  for (const kind of KEPT_KINDS) {
    const { write, read } = ROWS[kind];
    const name = await dynamo.createTable();
    const recorded = recordRows(dynamoTable(dynamo.client, { table: name, cluster: 'demo' }));
    await write(recorded.table);
    kept.push({ kind, rows: [...recorded.rows], value: toValue(await read(recorded.table)) });
  }
  await dynamo.stop();
  await writeFile(new URL(`${version}.rows.json`, FOLDER), `${JSON.stringify(kept, null, 1)}\n`);
}

const [, script, version] = process.argv;
if (script === fileURLToPath(import.meta.url) && version !== undefined) await keepRows(version);
