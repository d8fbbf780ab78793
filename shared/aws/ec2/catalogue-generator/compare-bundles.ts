import * as z from 'zod';

const bundleSchema = z.object({ columns: z.array(z.string()), types: z.array(z.string()) });

/** One fact of one type. */
export interface FactChange {
  readonly type: string;
  readonly column: string;
  readonly was: string;
  readonly is: string;
}

/** `m5.large computeMemoryMib: 8192, now 8000` */
export const formatChange = ({ type, column, was, is }: FactChange): string =>
  `${type} ${column}: ${was}, now ${is}`;

/** What a new bundle says otherwise than the one before it. */
export interface BundleChanges {
  readonly added: readonly string[];
  /** Types that the new one does not know any more. */
  readonly vanished: readonly string[];
  /** By type, then by column. */
  readonly changed: readonly FactChange[];
}

/** Type by type and cell by cell, in the order of names. @throws z.ZodError - one is no bundle */
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

/** A column that one of them lacks is a change of the format, not of the type. */
const listChanges = (
  type: string,
  before: Cells | undefined,
  after: Cells,
): readonly FactChange[] =>
  [...(before ?? [])].flatMap(([column, was]) => {
    const is = after.get(column);
    return is === undefined || is === was ? [] : [{ type, column, was, is }];
  });
