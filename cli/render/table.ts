import Table from 'cli-table3';
import type { Terminal } from '../terminal/terminal.ts';

const GAP = 2;

/**
 * Formats columns without borders. If the terminal is too narrow, columns are dropped from the
 * right; the first column always stays.
 */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[], terminal: Terminal): string {
  const shown = columnsThatFit(head, rows, terminal.width);
  const table = new Table({
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
  });
  table.push(head.slice(0, shown).map((title) => terminal.paint('quiet', title)));
  table.push(...rows.map((row) => row.slice(0, shown)));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

function columnsThatFit(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): number {
  if (width === undefined) return head.length;
  let used = 0;
  for (let column = 0; column < head.length; column++) {
    const cells = [head, ...rows].map((row) => row[column]?.length ?? 0);
    used += Math.max(...cells) + (column === 0 ? 0 : GAP);
    if (used > width && column > 0) return column;
  }
  return head.length;
}

const NO_BORDERS = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((part) => [part, '']),
);
