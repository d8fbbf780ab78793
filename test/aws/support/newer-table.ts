import { gunzipSync, gzipSync } from 'node:zlib';
import type { DynamoTable } from '../../../shared/aws/dynamodb/table/dynamo-table.ts';
import type { RowKind } from '../../../shared/aws/dynamodb/table/row-kinds.ts';

/** Fields whose keys are names: another key would be another entry, not an unknown field. */
const MAPS = new Set([
  ...['labels', 'annotations', 'tags', 'featureGates'],
  ...['requests', 'capacity', 'allocatable', 'expects', 'counts'],
  ...['heldUpBy', 'launches', 'unexplained'],
]);

/** Fields that hold JSON as text. */
const JSON_TEXTS = new Set(['own']);

export interface NewerTable {
  readonly table: DynamoTable;
  /** The kinds of rows that were written. */
  readonly written: ReadonlySet<RowKind>;
}

/** A table filled by a release with one more field in every object, at every depth. */
export function newerTable(table: DynamoTable): NewerTable {
  const written = new Set<RowKind>();
  const grownRow = (kind: RowKind, row: Readonly<Record<string, unknown>>) => {
    written.add(kind);
    return withUnknownField(row);
  };
  return {
    written,
    table: {
      ...table,
      put: (kind, name, row, condition) => table.put(kind, name, grownRow(kind, row), condition),
      putUntil: (kind, name, row, until) => table.putUntil(kind, name, grownRow(kind, row), until),
      putShortLived: (kind, name, row, until) => table.putShortLived(kind, name, grownRow(kind, row), until),
    },
  };
}

const withUnknownField = (fields: object): Record<string, unknown> => ({
  ...withGrownFields(fields),
  fromTheFuture: { kept: true },
});

const withGrownFields = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, grown(value, key)]));

function grown(value: unknown, key = ''): unknown {
  if (value instanceof Uint8Array) return grownContent(value);
  if (JSON_TEXTS.has(key)) return JSON.stringify(grown(JSON.parse(String(value))));
  if (Array.isArray(value)) return value.map((one) => grown(one));
  if (typeof value !== 'object' || value === null) return value;
  return MAPS.has(key) ? withGrownFields(value) : withUnknownField(value);
}

function grownContent(bytes: Uint8Array): Uint8Array {
  try {
    const content: unknown = JSON.parse(gunzipSync(bytes).toString('utf8'));
    return gzipSync(JSON.stringify(grown(content)));
  } catch {
    // One of several parts, which cannot be parsed alone.
    return bytes;
  }
}
