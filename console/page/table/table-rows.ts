/** A cell's value: undefined if it is unknown or does not apply. */
export type CellValue = string | number | undefined;

/** The part of a column that sorting and export need. */
export interface ColumnValues<Row> {
  readonly id: string;
  readonly title: string;
  value(row: Row): CellValue;
}

export interface SortOrder {
  readonly column: string;
  readonly direction: 'ascending' | 'descending';
}

/** Sorts by one column: numbers by size, names as people count (`web-9` before `web-10`). */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly ColumnValues<Row>[],
  { column: id, direction }: SortOrder,
): readonly Row[] {
  const column = columns.find((one) => one.id === id);
  if (!column) return rows;
  const sign = direction === 'ascending' ? 1 : -1;
  return rows.toSorted((a, b) => {
    const [valueA, valueB] = [column.value(a), column.value(b)];
    // Unknown values come last in both directions.
    if (valueA === undefined || valueB === undefined)
      return Number(valueA === undefined) - Number(valueB === undefined);
    return sign * compare(valueA, valueB);
  });
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true });

/** Keeps the rows in which every word of the filter occurs, in any column. */
export function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly ColumnValues<Row>[],
  filter: string,
): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = columns
      .map((column) => column.value(row) ?? '')
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The rows as CSV (RFC 4180), with a header line. */
export function toCsv<Row>(rows: readonly Row[], columns: readonly ColumnValues<Row>[]): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map((column) => String(column.value(row) ?? ''))),
  ];
  return lines.map((cells) => `${cells.map(quote).join(',')}\r\n`).join('');
}

/** Spreadsheets run a cell that begins with these as a formula. */
const FORMULA = /^[=+@\t\r]|^-(?![\d.])/;

function quote(cell: string): string {
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
