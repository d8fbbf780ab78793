import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import styles from './table.module.css';

interface ColumnChoiceProps {
  readonly columns: readonly { readonly id: string; readonly title: string }[];
  readonly hidden: ReadonlySet<string>;
  readonly onChange: (hidden: ReadonlySet<string>) => void;
}

/** Hides columns; the first one, which names the row, always stays. */
export function ColumnChoice({ columns, hidden, onChange }: ColumnChoiceProps) {
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
