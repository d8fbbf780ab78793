import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { TABLE_NAMES, type TableName } from './packed-snapshot.ts';
import { createValueTable, type ValueTable } from './value-table.ts';

export interface WrittenRows {
  /** The entries of the list as JSON, without brackets. */
  readonly json: string;
  /** The number of rows that the frame does not have. */
  readonly ownRows: number;
}

/** The rows of one snapshot, with which later ones are compared. */
export interface FrameRows {
  readonly values: ValueTable;
  /** The JSON of a `Frame`. */
  toJson(): string;
  /**
   * Writes a list as spans of the frame's rows and as own rows, in the order of the list.
   *
   * @param values - receives the values of own rows; its base is `values` of the frame
   */
  writeRows(name: TableName, list: readonly object[], values: ValueTable): WrittenRows;
}

interface FrameTable {
  readonly indexByText: Map<string, number>;
  readonly indexByObject: WeakMap<object, number>;
}

/** Creates the frame with the rows of this snapshot. */
export function createFrameRows(snapshot: ClusterSnapshot): FrameRows {
  const values = createValueTable();
  const tables: Readonly<Record<TableName, FrameTable>> = {
    pods: indexRows(snapshot.pods, values),
    nodes: indexRows(snapshot.nodes, values),
    claims: indexRows(snapshot.claims, values),
    owners: indexRows(snapshot.owners ?? [], values),
    podDisruptionBudgets: indexRows(snapshot.podDisruptionBudgets, values),
  };
  return {
    values,
    toJson() {
      const rows = TABLE_NAMES.map((name) => {
        const texts = [...tables[name].indexByText.keys()];
        return `${JSON.stringify(name)}:[${texts.join(',')}]`;
      });
      return `{"values":[${values.toJson()}],"rows":{${rows.join(',')}}}`;
    },
    writeRows: (name, list, ownValues) => writeList(tables[name], list, ownValues),
  };
}

function indexRows(rows: readonly object[], values: ValueTable): FrameTable {
  const table: FrameTable = { indexByText: new Map(), indexByObject: new WeakMap() };
  for (const row of rows) {
    const text = writeRow(row, values);
    const index = table.indexByText.get(text) ?? table.indexByText.size;
    table.indexByText.set(text, index);
    table.indexByObject.set(row, index);
  }
  return table;
}

function writeList(table: FrameTable, list: readonly object[], values: ValueTable): WrittenRows {
  const entries: string[] = [];
  let ownRows = 0;
  let span = { first: 0, count: 0 };
  const endSpan = (): void => {
    if (span.count > 0) entries.push(`[${span.first},${span.count}]`);
    span = { first: 0, count: 0 };
  };
  for (const row of list) {
    const { index, text } = findRow(table, row, values);
    if (index === undefined) {
      endSpan();
      entries.push(text);
      ownRows += 1;
    } else if (span.count > 0 && span.first + span.count === index) {
      span.count += 1;
    } else {
      endSpan();
      span = { first: index, count: 1 };
    }
  }
  endSpan();
  return { json: entries.join(','), ownRows };
}

interface FoundRow {
  /** `undefined` if the frame does not have the row. */
  readonly index?: number;
  /** The JSON of the row; empty if it was found as an object. */
  readonly text: string;
}

function findRow({ indexByObject, indexByText }: FrameTable, row: object, values: ValueTable): FoundRow {
  const existing = indexByObject.get(row);
  if (existing !== undefined) return { index: existing, text: '' };
  const text = writeRow(row, values);
  const index = indexByText.get(text);
  if (index === undefined) return { text };
  indexByObject.set(row, index);
  return { index, text };
}

/** Writes a row as JSON, with the indices of its objects instead of the objects. */
export function writeRow(row: object, values: ValueTable): string {
  const fields: string[] = [];
  const entries: readonly (readonly [string, unknown])[] = Object.entries(row);
  for (const [name, value] of entries) {
    if (value === undefined) continue;
    fields.push(
      typeof value === 'object' && value !== null
        ? `"@${name}":${values.indexOf(value)}`
        : `"${name}":${JSON.stringify(value)}`,
    );
  }
  return `{${fields.join(',')}}`;
}
