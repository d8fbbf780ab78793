import type { ShareRow } from '../../explanation.ts';
import { formatNodeUsd, formatPercent } from '../../format.ts';
import { cx } from '../class-names.ts';
import styles from './explain.module.css';

/** A bar divided into shares; the last part is unrequested. */
export function Shares({ rows }: { readonly rows: readonly ShareRow[] }) {
  return (
    <>
      <div className={cx(styles.split)} aria-hidden="true">
        {rows.map(({ label, share }, index) => (
          <i key={label} data-part={index} style={{ flexGrow: Math.max(0.0001, share) }} />
        ))}
      </div>
      <ul className={cx(styles.shares)}>
        {rows.map(({ label, share, hourlyUsd }) => (
          <li key={label}>
            {label} {formatPercent(share)}
            {hourlyUsd !== undefined && <span>{formatNodeUsd(hourlyUsd)}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
