/**
 * Compares what a guide shows with what its command printed. Numbers, ends of generated names and the
 * spaces between words may differ. A table is compared by its header and the number of its columns.
 *
 * @returns the first difference
 */
export function findDifference(shown: string, printed: string): string | undefined {
  const expected = toLines(shown);
  const lines = toLines(printed);
  return isTable(expected) ? compareTables(expected, lines) : compareLines(expected, lines);
}

/**
 * The shown lines must follow each other in this order; other lines may stand between them. Lines that begin
 * with a time of day are sorted by it, and near moments change places from run to run.
 */
function compareLines(expected: readonly string[], lines: readonly string[]): string | undefined {
  let from = 0;
  for (const line of expected) {
    const isTimed = TIMED.test(line);
    const index = lines.findIndex((one, at) => (isTimed || at >= from) && maskNumbers(one) === maskNumbers(line));
    if (index < 0) return `no line like "${line}"`;
    from = Math.max(from, index + 1);
  }
  return undefined;
}

function compareTables([header = '', row = '']: readonly string[], lines: readonly string[]): string | undefined {
  const at = lines.indexOf(header);
  if (at < 0) return `no header "${header}"`;
  const columns = countColumns(row);
  const hasRow = lines.slice(at + 1).some((line) => countColumns(line) === columns);
  return hasRow ? undefined : `no row with ${columns} columns like "${row}"`;
}

const TIMED = /^\d\d:\d\d:\d\d/;

const toLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '');

const isTable = ([header = '', ...rows]: readonly string[]): boolean =>
  rows.length > 0 && /^[A-Z]+(?: [A-Z]+)+$/.test(header);

const countColumns = (line: string): number => line.split(' ').length;

/** The end of a generated name counts as a number, and so does a zone: `MortiseNode-shop-1a2b3c4d`, `first-fc29p`. */
const maskNumbers = (line: string): string =>
  line
    .replaceAll(/-(?:[0-9a-f]{8}|[bcdfghjklmnpqrstvwxz2456789]{5})\b/g, '-0')
    .replaceAll(/-\d[a-z]\b/g, '-0')
    .replaceAll(/\d+(?:[.,]\d+)*/g, '0');
