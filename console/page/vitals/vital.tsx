import type { ReactNode } from 'react';
import { cx } from '../class-names.ts';
import styles from './vitals.module.css';

interface VitalProps {
  readonly name: string;
  readonly title: string;
  readonly value: ReactNode;
  /** The unit beside the value. */
  readonly unit?: ReactNode;
  /** Details below the value. */
  readonly children?: ReactNode;
}

/** One metric of the cluster, as a tile. */
export function Vital({ name, title, value, unit, children }: VitalProps) {
  return (
    <div className={cx(styles.vital)} data-testid={`vital-${name}`}>
      <h2 className={cx(styles.title)}>{title}</h2>
      <p className={cx(styles.line)}>
        <span className={cx(styles.figure)}>{value}</span>
        {unit !== undefined && <span className={cx(styles.unit)}>{unit}</span>}
      </p>
      <div className={cx(styles.detail)}>{children}</div>
    </div>
  );
}

export const DASH = '–';

export interface TotalsProps<T> {
  /** `undefined` before the first message; the tiles then show dashes. */
  readonly totals: T | undefined;
}
