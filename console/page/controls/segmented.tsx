import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { cx } from '../class-names.ts';
import styles from './controls.module.css';

interface SegmentedProps<T extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly testId?: string;
}

/** A choice between a few visible options. */
export function Segmented<T extends string>(props: SegmentedProps<T>) {
  const { label, options, value, onChange, testId } = props;
  return (
    <ToggleButtonGroup
      aria-label={label}
      className={cx(styles.segmented)}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const chosen = options.find((option) => keys.has(option.value));
        if (chosen) onChange(chosen.value);
      }}
      {...(testId !== undefined && { 'data-testid': testId })}
    >
      {options.map((option) => (
        <ToggleButton key={option.value} id={option.value} className={cx(styles.segment)}>
          {option.text}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
