import { describe, expect, it } from 'vitest';
import { filterRows, sortRows, toCsv } from '../../../console/page/table/table-rows.ts';

interface Row {
  readonly name: string;
  readonly usd?: number;
}
const COLUMNS = [
  { id: 'name', title: 'Name', value: ({ name }: Row) => name },
  { id: 'usd', title: 'USD', value: ({ usd }: Row) => usd },
];
const ROWS: readonly Row[] = [{ name: 'web-10', usd: 2 }, { name: 'web-9' }, { name: 'api', usd: 10 }];
const names = (rows: readonly Row[]) => rows.map(({ name }) => name);

describe('the rows of a table', () => {
  it('sort names with numbers in the order of the numbers', () => {
    const sorted = sortRows(ROWS, COLUMNS, { column: 'name', direction: 'ascending' });
    expect(names(sorted)).toEqual(['api', 'web-9', 'web-10']);
  });

  it.each([
    ['ascending', ['web-10', 'api', 'web-9']],
    ['descending', ['api', 'web-10', 'web-9']],
  ] as const)('sort numbers %s by size, and unknown values last', (direction, expected) => {
    expect(names(sortRows(ROWS, COLUMNS, { column: 'usd', direction }))).toEqual(expected);
  });

  it('are kept by a filter if each of its words occurs in any column', () => {
    expect(names(filterRows(ROWS, COLUMNS, 'WEB 2'))).toEqual(['web-10']);
  });

  it('are CSV with quotes around cells that need them', () => {
    expect(toCsv([{ name: 'a "b", c', usd: 1.5 }, { name: 'd' }], COLUMNS)).toBe(
      'Name,USD\r\n"a ""b"", c",1.5\r\nd,\r\n',
    );
  });

  it.each(['=1+1', '@x', '-cmd'])('are never a formula to a spreadsheet: %s', (name) => {
    expect(toCsv([{ name }], COLUMNS)).toContain(`\r\n'${name},`);
  });
});
