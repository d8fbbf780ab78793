import type { ReactNode } from 'react';
import { cx } from '../class-names.ts';
import styles from './vitals.module.css';

interface VitalProps {
  readonly name: string;
  readonly title: string;
  /** The value. */
  readonly figure: ReactNode;
  /** The unit beside the value. */
  readonly unit?: ReactNode;
  /** Details below the value. */
  readonly children?: ReactNode;
}

export function Vital({ name, title, figure, unit, children }: VitalProps) {
  return (
    <div className={cx(styles.vital)} data-testid={`vital-${name}`}>
      <h2 className={cx(styles.title)}>{title}</h2>
      <p className={cx(styles.line)}>
        <span className={cx(styles.figure)}>{figure}</span>
        {unit !== undefined && <span className={cx(styles.unit)}>{unit}</span>}
      </p>
      <div className={cx(styles.detail)}>{children}</div>
    </div>
  );
}

export const DASH = '–';

export interface TotalsProps<T> {
  /** Undefined before the first message; values are dashes. */
  readonly totals: T | undefined;
}
