import type { PhaseRow } from '../../explanation.ts';
import { formatDuration, formatTime } from '../../format.ts';
import { cx } from '../class-names.ts';
import styles from './explain.module.css';

/** Phases with their times; future phases are hollow. */
export function Phases({ rows }: { readonly rows: readonly PhaseRow[] }) {
  return (
    <ol className={cx(styles.phases)}>
      {rows.map(({ label, at }, index) => {
        const before = rows.slice(0, index).findLast((row) => row.at !== undefined)?.at;
        return (
          <li key={label} data-done={at !== undefined}>
            <span>{label}</span>
            <span className={cx(styles.time)}>{at === undefined ? '' : formatTime(at)}</span>
            <span className={cx(styles.took)}>
              {at !== undefined &&
                before !== undefined &&
                at > before &&
                `+${formatDuration(at - before)}`}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
