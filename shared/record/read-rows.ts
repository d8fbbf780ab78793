import * as z from 'zod';
import { getOrCreate } from '../model/memo.ts';
import { ownValue } from '../model/own-value.ts';
import { toUnreadable, UnreadableRecordError } from './errors.ts';
import type { PackedRow } from './packed-snapshot-schema.ts';

/** The first letter of a field that has the index of its value instead of the value. */
const REFERENCE = '@';

type RowEntry = PackedRow | readonly [number, number];

/**
 * Reads the rows of one table. Each value is validated once, however many rows share it.
 *
 * @param entries - own rows, and spans of rows of the frame
 * @param values - the values that rows refer to
 * @param table - its path in the record, for errors
 * @throws UnreadableRecordError - a span or an index leads nowhere, spans name more rows than the
 *   frame has, or a value is not valid
 */
export function readRows<S extends z.ZodObject>(
  schema: S,
  entries: readonly RowEntry[],
  { frame, values, table }: RowSources,
): z.infer<S>[] {
  const toRow = createRowReader(schema, values);
  const rows: z.infer<S>[] = [];
  let spanned = 0;
  for (const entry of entries) {
    const path = `${table}[${rows.length}]`;
    if (!isSpan(entry)) {
      rows.push(toRow(entry, path));
      continue;
    }
    const [first, count] = entry;
    if (first + count > frame.length) {
      const why = `names rows up to ${first + count} of a frame of ${frame.length}`;
      throw new UnreadableRecordError(path, { why });
    }
    // A row is in a list once; a small file could otherwise name any number of rows.
    spanned += count;
    if (spanned > frame.length) {
      throw new UnreadableRecordError(path, { why: 'names more rows than its frame has' });
    }
    for (const row of frame.slice(first, first + count)) {
      rows.push(toRow(row, `${table}[${rows.length}]`));
    }
  }
  return rows;
}

export interface RowSources {
  readonly frame: readonly PackedRow[];
  readonly values: readonly unknown[];
  readonly table: string;
}

function createRowReader<S extends z.ZodObject>(schema: S, values: readonly unknown[]) {
  const fieldSchemas: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  const fields = Object.entries(fieldSchemas);
  const scalars = z.looseObject(Object.fromEntries(fields.filter(([, field]) => isScalar(field))));
  const required = fields.flatMap(([name, field]) => (field._zod.optin === undefined ? [name] : []));
  // Files of earlier releases lack these fields.
  const defaults = fields.flatMap(([name, field]) =>
    field instanceof z.ZodDefault ? [[name, field.def.defaultValue] as const] : [],
  );
  const validated = new Map<string, Set<number>>();

  function resolve(field: string, index: unknown, path: string): unknown {
    if (typeof index !== 'number' || !(index in values)) {
      throw new UnreadableRecordError(`${path}.@${field}`, {
        why: `there is no value ${String(index)}`,
      });
    }
    const value = values[index];
    const validIndices = getOrCreate(validated, field, () => new Set<number>());
    if (!validIndices.has(index)) {
      const fieldSchema = ownValue(fieldSchemas, field);
      const parsed = fieldSchema && z.safeParse(fieldSchema, value);
      if (parsed?.error) throw toUnreadable(`${path}.${field}`, parsed.error);
      validIndices.add(index);
    }
    return value;
  }

  /** The objects of the row have been validated when they were resolved. */
  function isRow(row: Record<string, unknown>, path: string): row is z.infer<S> {
    const parsed = scalars.safeParse(row);
    if (parsed.error) throw toUnreadable(path, parsed.error);
    const missing = required.find((name) => row[name] === undefined);
    if (missing !== undefined) throw new UnreadableRecordError(`${path}.${missing}`, { why: 'is missing' });
    return true;
  }

  return (packed: PackedRow, path: string): z.infer<S> => {
    const row: Record<string, unknown> = Object.fromEntries(defaults);
    for (const [name, value] of Object.entries(packed)) {
      const isReference = name.startsWith(REFERENCE);
      const field = isReference ? name.slice(1) : name;
      if (field === '__proto__') {
        throw new UnreadableRecordError(path, { why: 'has the field __proto__' });
      }
      // Only values that are referred to are validated whole.
      if (!isReference && typeof value === 'object') {
        throw new UnreadableRecordError(`${path}.${field}`, { why: 'must be a reference' });
      }
      row[field] = isReference ? resolve(field, value, path) : value;
    }
    if (isRow(row, path)) return row;
    throw new UnreadableRecordError(path, { why: 'is not a row' });
  };
}

const isSpan = (entry: RowEntry): entry is readonly [number, number] => Array.isArray(entry);

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'enum', 'literal']);

function isScalar(field: z.core.$ZodType): boolean {
  if (field instanceof z.ZodOptional || field instanceof z.ZodExactOptional) {
    return isScalar(field.unwrap());
  }
  return SCALARS.has(field._zod.def.type);
}
