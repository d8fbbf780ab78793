import { totalOf } from '../../cost.ts';
import { formatMinute, formatUsd } from '../../format.ts';
import type { SeriesPoint } from '../../timeline-views.ts';
import { VISUALLY_HIDDEN } from '../class-names.ts';

const ROWS = 12;

/** The cost curve as a table of at most twelve points in time, for screen readers. */
export function CurveTable({ points }: { readonly points: readonly SeriesPoint[] }) {
  const every = Math.max(1, Math.ceil(points.length / ROWS));
  const rows = points.filter((_, index) => index % every === 0);
  return (
    <div className={VISUALLY_HIDDEN}>
      <table>
        <caption>Cost per hour in the last hour</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Cost per hour</th>
            <th scope="col">Pods pending</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at, hourlyUsd, pendingPods }) => (
            <tr key={at}>
              <th scope="row">{formatMinute(at)}</th>
              <td>{formatUsd(totalOf(hourlyUsd))}</td>
              <td>{pendingPods}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
