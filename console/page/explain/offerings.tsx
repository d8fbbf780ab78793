import { HOURS_PER_MONTH } from '../../../shared/model/time.ts';
import type { OfferingRow } from '../../explanation.ts';
import { formatMonthlyUsd, formatNodeUsd } from '../../format.ts';
import { cx } from '../class-names.ts';
import { CapacityGlyph } from '../controls/capacity-glyph.tsx';
import styles from './explain.module.css';

export function Offerings({ rows }: { readonly rows: readonly OfferingRow[] }) {
  return (
    <table className={cx(styles.table)}>
      <thead>
        <tr>
          <th scope="col">Offering</th>
          <th scope="col">Zone</th>
          <th scope="col" className={cx(styles.number)}>
            Per hour
          </th>
          <th scope="col" className={cx(styles.number)}>
            Per month
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ text, capacityType, zone, hourlyUsd }) => (
          <tr key={`${text} ${capacityType} ${zone}`}>
            <th scope="row">
              <CapacityGlyph capacityType={capacityType} /> {text}{' '}
              <span className={cx(styles.unbroken)}>{capacityType}</span>
            </th>
            <td>{zone}</td>
            <td className={cx(styles.number)}>{formatNodeUsd(hourlyUsd)}</td>
            <td className={cx(styles.number)}>{formatMonthlyUsd(hourlyUsd * HOURS_PER_MONTH)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
