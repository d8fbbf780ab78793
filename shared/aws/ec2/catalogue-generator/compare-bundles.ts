import * as z from 'zod';

const bundleSchema = z.object({ columns: z.array(z.string()), types: z.array(z.string()) });

/** A changed column of one type. */
export interface FactChange {
  readonly type: string;
  readonly column: string;
  readonly was: string;
  readonly is: string;
}

/** Formats a change as `m5.large memoryMib: 8192, now 8000`. */
export const formatChange = ({ type, column, was, is }: FactChange): string => `${type} ${column}: ${was}, now ${is}`;

/** The differences between a new bundle and the previous one. */
export interface BundleChanges {
  readonly added: readonly string[];
  /** Types that are missing in the new bundle. */
  readonly vanished: readonly string[];
  /** Sorted by type, then by column. */
  readonly changed: readonly FactChange[];
}

/**
 * Compares two bundles cell by cell, in the order of the type names.
 *
 * @throws z.ZodError - an argument is not a bundle
 */
export function compareBundles(before: unknown, after: unknown): BundleChanges {
  const [old, fresh] = [readRows(before), readRows(after)];
  return {
    added: [...fresh.keys()].filter((name) => !old.has(name)).toSorted(),
    vanished: [...old.keys()].filter((name) => !fresh.has(name)).toSorted(),
    changed: [...fresh]
      .flatMap(([name, cells]) => listChanges(name, old.get(name), cells))
      .toSorted((a, b) => (formatChange(a) < formatChange(b) ? -1 : 1)),
  };
}

type Cells = ReadonlyMap<string, string>;

function readRows(json: unknown): ReadonlyMap<string, Cells> {
  const { columns, types } = bundleSchema.parse(json);
  return new Map(
    types.map((row) => {
      const values = row.split('|');
      const cells = new Map(columns.map((column, i) => [column, values[i] ?? '']));
      return [cells.get('name') ?? '', cells];
    }),
  );
}

/** A column that only one bundle has is a change of the format, not of the type. */
const listChanges = (type: string, before: Cells | undefined, after: Cells): readonly FactChange[] =>
  [...(before ?? [])].flatMap(([column, was]) => {
    const is = after.get(column);
    return is === undefined || is === was ? [] : [{ type, column, was, is }];
  });
