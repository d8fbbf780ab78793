import { type ReactNode, useMemo, useState } from 'react';
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { formatCount } from '../../format.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import styles from './table.module.css';
import { type ColumnValues, filterRows, type SortOrder, sortRows, toCsv } from './table-rows.ts';

export interface Column<Row> extends ColumnValues<Row> {
  /** How the value is shown; undefined for the value itself. */
  show?(row: Row): ReactNode;
  readonly align?: 'end';
}

interface Filter {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

interface DataTableProps<Row> {
  /** The name for screen readers and for the file. */
  readonly name: string;
  readonly testId: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly getKey: (row: Row) => string;
  readonly start: SortOrder;
  readonly total?: Row;
  /** Undefined for a table without a filter. */
  readonly filter?: Filter;
  readonly selected?: string | undefined;
  /** Controls in the bar above the table. */
  readonly children?: ReactNode;
}

/** More rows at once make a page slow, and no reader wants them. */
const MAX_ROWS = 200;

/** A table that sorts by its headers, filters, hides columns and saves itself as CSV. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { name, testId, columns, rows, getKey, start, total, filter, selected, children } = props;
  const [order, setOrder] = useState(start);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [areAllShown, setAllShown] = useState(false);
  const shownColumns = columns.filter(({ id }) => !hidden.has(id));
  const sorted = useMemo(
    () => sortRows(filterRows(rows, columns, filter?.text ?? ''), columns, order),
    [rows, columns, filter?.text, order],
  );
  const shown = areAllShown ? sorted : sorted.slice(0, MAX_ROWS);

  return (
    <>
      <div className={cx(styles.bar)}>
        {children}
        {filter && (
          <input
            type="search"
            className={cx(styles.filter)}
            aria-label={`Filter ${name}`}
            placeholder="Filter"
            value={filter.text}
            onChange={({ target }) => filter.onChange(target.value)}
          />
        )}
        {filter && (
          <p className={cx(styles.count)} role="status">
            {formatCount(sorted.length)} of {formatCount(rows.length)}
          </p>
        )}
        <span className={cx(styles.end)}>
          <ColumnChoice columns={columns} hidden={hidden} onChange={setHidden} />
          <Button
            className={cx(controls.button)}
            onPress={() => saveFile(`${name}.csv`, 'text/csv', toCsv(sorted, shownColumns))}
          >
            CSV
          </Button>
        </span>
      </div>
      <div className={cx(styles.scroll)}>
        <table className={cx(styles.table)} data-testid={testId} aria-label={name}>
          <thead>
            <tr>
              {shownColumns.map((column) => (
                <Head key={column.id} column={column} order={order} onSort={setOrder} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={getKey(row)} data-selected={getKey(row) === selected || undefined}>
                <Cells row={row} columns={shownColumns} />
              </tr>
            ))}
          </tbody>
          {total && (
            <tfoot>
              <tr>
                <Cells row={total} columns={shownColumns} />
              </tr>
            </tfoot>
          )}
        </table>
        {shown.length < sorted.length && (
          <Button className={cx(controls.button, styles.more)} onPress={() => setAllShown(true)}>
            Show {formatCount(sorted.length - shown.length)} more
          </Button>
        )}
      </div>
    </>
  );
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly order: SortOrder;
  readonly onSort: (order: SortOrder) => void;
}

function Head<Row>({ column: { id, title, align }, order, onSort }: HeadProps<Row>) {
  const direction = order.column === id ? order.direction : undefined;
  return (
    <th scope="col" data-align={align} aria-sort={direction ?? 'none'}>
      <Button
        className={cx(styles.sort)}
        onPress={() => onSort({ column: id, direction: direction === 'descending' ? 'ascending' : 'descending' })}
      >
        {title}
        <span aria-hidden="true">{direction && (direction === 'ascending' ? ' ↑' : ' ↓')}</span>
      </Button>
    </th>
  );
}

function Cells<Row>({ row, columns }: { readonly row: Row; readonly columns: readonly Column<Row>[] }) {
  return columns.map((column, index) => {
    const content = column.show ? column.show(row) : (column.value(row) ?? '–');
    return index === 0 ? (
      <th key={column.id} scope="row">
        {content}
      </th>
    ) : (
      <td key={column.id} data-align={column.align}>
        {content}
      </td>
    );
  });
}

/** Offers the text to the user as a download. */
function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

interface ColumnChoiceProps {
  readonly columns: readonly { readonly id: string; readonly title: string }[];
  readonly hidden: ReadonlySet<string>;
  readonly onChange: (hidden: ReadonlySet<string>) => void;
}

/** Hides columns; the first one, which names the row, always stays. */
function ColumnChoice({ columns, hidden, onChange }: ColumnChoiceProps) {
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <DialogTrigger>
      <Button className={cx(controls.button)}>Columns</Button>
      <Popover className={cx(controls.popover, styles.columns)} placement="bottom end">
        <Dialog aria-label="Columns">
          {columns.slice(1).map(({ id, title }) => (
            <label key={id} className={cx(styles.column)}>
              <input type="checkbox" checked={!hidden.has(id)} onChange={() => toggle(id)} />
              {title}
            </label>
          ))}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
