import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';
import { cx } from '../class-names.ts';
import styles from './controls.module.css';
import { ChevronIcon } from './icons.tsx';

export interface Choice {
  readonly id: string;
  readonly text: string;
}

interface SelectFieldProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** A choice between many options in a menu. */
export function SelectField({ label, choices, value, onChange }: SelectFieldProps) {
  return (
    <Select
      className={cx(styles.field)}
      value={value}
      onChange={(key) => {
        if (key !== null) onChange(String(key));
      }}
    >
      <Label className={cx(styles.label)}>{label}</Label>
      <Button className={cx(styles.value)}>
        <SelectValue />
        <ChevronIcon />
      </Button>
      <Popover className={cx(styles.choices)}>
        <ListBox className={cx(styles.list)} items={choices}>
          {({ id, text }) => (
            <ListBoxItem id={id} textValue={text} className={cx(styles.option)}>
              {text}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
