import type { TypeRow } from './reduce-type.ts';
import { COLUMNS } from './reduce-type.ts';

export interface BundleHeader {
  readonly about: string;
  readonly source: string;
  readonly licence: string;
  readonly generatedOn: string;
  readonly region: string;
  /** In the order of the letters in the column `zones`. */
  readonly zones: readonly string[];
}

/** Formats zones as letters, `a` for the first zone of the region: `abd`. */
export const toZoneLetters = (offered: readonly string[], all: readonly string[]): string =>
  all.flatMap((zone, i) => (offered.includes(zone) ? [String.fromCharCode(97 + i)] : [])).join('');

/** Formats the file as JSON with one line per type, so that a diff shows which types changed. */
export function formatBundle(header: BundleHeader, rows: readonly TypeRow[]): string {
  const columns = COLUMNS.map((column) => JSON.stringify(column)).join(', ');
  const lines = rows
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((row) => JSON.stringify(COLUMNS.map((column) => row[column]).join('|')));
  const fields = Object.entries(header).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`);
  return `{\n${fields.join(',\n')},\n"columns": [${columns}],\n"types": [\n${lines.join(',\n')}\n]\n}\n`;
}
