import { readFileSync } from 'node:fs';

/** @param path - from the root of the repository */
export const readPage = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/**
 * The numbers in the cells behind the first one, of the first row with this first cell. Names in backquotes are no numbers.
 *
 * @throws Error if the page has no such row
 */
export function readFigures(page: string, firstCell: string): readonly number[] {
  const row = page.split('\n').find((line) => line.startsWith(`| ${firstCell} |`));
  if (row === undefined) throw new Error(`no table has a row ${firstCell}`);
  const cells = row.slice(`| ${firstCell} |`.length).replaceAll(/`[^`]*`/g, '');
  return [...cells.matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([text]) =>
    Number(text.replaceAll(/,(?=\d{3})/g, '').replace(/,$/, '')),
  );
}
