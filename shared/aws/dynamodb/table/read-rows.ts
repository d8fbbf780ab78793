import * as z from 'zod';
import { UnreadableRowError } from '../../../model/errors.ts';
import type { UnreadableRecord } from '../../../ports/records.ts';
import { ADVISORY_KINDS, type RowKind } from './row-kinds.ts';

/**
 * The format of a row's attributes. Rows of a newer format are not read.
 *
 * During a deployment and after a rollback, a release reads rows of the next release. A release may
 * therefore add fields under the same format: readers ignore unknown fields, and treat an older row
 * as one without the new fields. Known fields are validated, so a new enum value must be readable
 * one release before it is written.
 */
export const ROW_FORMAT = 1;

export type Attributes = Readonly<Record<string, unknown>>;

/** Receives the key of each row that cannot be read, and the reason, whatever follows from it. */
export type ReportUnreadable = (row: string, cause: unknown) => void;

/** Every read of a row goes through here: it is the one place where an unreadable row is found. */
export interface RowReader {
  readRow<T>(item: Attributes, schema: z.ZodType<T>): { readonly row: T } | { readonly error: UnreadableRowError };
  /**
   * @returns the row; an empty list if the row is advisory and cannot be read
   * @throws UnreadableRowError for a row of any other kind
   */
  parseRow<T>(kind: RowKind, item: Attributes, schema: z.ZodType<T>): readonly T[];
  /** Reports that a row cannot be read, and returns the error to throw. */
  refuse(row: string, cause: unknown): UnreadableRowError;
}

export function createRowReader(report: ReportUnreadable): RowReader {
  const refuse: RowReader['refuse'] = (row, cause) => {
    report(row, cause);
    return new UnreadableRowError(row, { cause });
  };
  const readRow: RowReader['readRow'] = (item, schema) => {
    try {
      formatSchema.parse(item);
      return { row: schema.parse(item) };
    } catch (cause) {
      return { error: refuse(String(item.sk), cause) };
    }
  };
  return {
    refuse,
    readRow,
    parseRow(kind, item, schema) {
      const reading = readRow(item, schema);
      if ('row' in reading) return [reading.row];
      if (ADVISORY_KINDS.has(kind)) return [];
      throw reading.error;
    },
  };
}

const formatSchema = z.object({ format: z.literal(ROW_FORMAT) });

export const toUnreadable = (kind: RowKind, { record, cause }: UnreadableRowError): UnreadableRecord => ({
  name: record.slice(kind.length + 1),
  why: cause instanceof Error ? cause.message : String(cause),
});
