import { formatCount, formatMinute, formatShortUsd } from '../../format.ts';
import type { CostView } from '../../screen-views.ts';
import { cx } from '../class-names.ts';
import styles from './cost.module.css';

/** Used and idle hours of the capacity that the account has reserved; absent if there is none. */
export function Reservations({ reservations, reservationsSince: since }: CostView) {
  if (reservations.length === 0) return null;
  return (
    <section className={cx(styles.part)} data-testid="reservations" aria-label="Reservations">
      <h3>Reservations</h3>
      <p>
        They cost the same whether they are used or not, and do not count as saved by spot.
        {since !== undefined && ` Hours are counted since ${formatMinute(since)}.`}
      </p>
      <table className={cx(styles.parts)}>
        <thead>
          <tr>
            <th scope="col">Reservation</th>
            <th scope="col">Used now</th>
            <th scope="col">Idle now</th>
            <th scope="col">Used hours</th>
            <th scope="col">Idle hours</th>
            <th scope="col">Idle, on demand</th>
          </tr>
        </thead>
        <tbody>
          {reservations.map((row) => (
            <tr key={row.id}>
              <th scope="row">
                {row.id}, {row.instanceType} in {row.zone}
              </th>
              <td>{formatCount(row.used)}</td>
              <td>{formatCount(row.idle)}</td>
              <td>{row.usedHours.toFixed(1)}</td>
              <td>{row.idleHours.toFixed(1)}</td>
              <td>{row.idleHourlyUsd === undefined ? '–' : `${formatShortUsd(row.idleHourlyUsd)}/h`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
