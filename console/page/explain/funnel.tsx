import type { FunnelRow } from '../../explanation.ts';
import { formatCount } from '../../format.ts';
import { cx } from '../class-names.ts';
import styles from './explain.module.css';

/** Remaining offerings after each condition, on a logarithmic scale. */
export function Funnel({ rows }: { readonly rows: readonly FunnelRow[] }) {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const width = (count: number) => (count === 0 ? 0 : Math.log(count + 1) / Math.log(most + 1));
  const lastIndex = rows.findIndex(({ count }) => count === 0);
  return (
    <table className={cx(styles.table)}>
      <tbody>
        {rows.map(({ label, count }, index) => (
          <tr key={label} data-cause={index === lastIndex}>
            <th scope="row">{label}</th>
            <td className={cx(styles.barCell)} aria-hidden="true">
              <i style={{ width: `max(2px, ${width(count) * 100}%)` }} />
            </td>
            <td className={cx(styles.number)}>{formatCount(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
