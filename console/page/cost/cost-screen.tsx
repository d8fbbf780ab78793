import { useCallback, useState } from 'react';
import { HOURS_PER_MONTH } from '../../../shared/model/time.ts';
import { formatCount, formatMinute, formatMonthlyUsd, formatPercent, formatShortUsd, formatUsd } from '../../format.ts';
import type { CostGrouping, CostRow, CostView } from '../../screen-views.ts';
import { cx } from '../class-names.ts';
import { Segmented } from '../controls/segmented.tsx';
import { getCost } from '../store/api.ts';
import { type Column, DataTable } from '../table/data-table.tsx';
import { useUi } from '../ui/ui-context.ts';
import { usePolled } from '../ui/use-polled.ts';
import { useReady } from '../ui/use-ready.ts';
import styles from './cost.module.css';
import { CostCurve } from './cost-curve.tsx';

const GROUPINGS: readonly { readonly value: CostGrouping; readonly text: string }[] = [
  { value: 'capacity', text: 'Capacity type' },
  { value: 'pool', text: 'NodePool' },
  { value: 'namespace', text: 'Namespace' },
  { value: 'workload', text: 'Workload' },
];

const saved = ({ hourlyUsd, onDemandHourlyUsd }: CostRow): number => onDemandHourlyUsd - hourlyUsd;

const NAMES: Column<CostRow> = { id: 'name', title: 'Name', value: ({ name }) => name };
const NODES: Column<CostRow> = {
  ...{ id: 'nodes', title: 'Nodes', align: 'end' },
  value: ({ nodes }) => nodes,
};
const AMOUNTS: readonly Column<CostRow>[] = [
  { id: 'pods', title: 'Pods', align: 'end', value: ({ pods }) => pods },
  usdColumn('hour', 'USD per hour', ({ hourlyUsd }) => hourlyUsd),
  {
    ...{ id: 'month', title: 'USD per month', align: 'end' },
    value: ({ hourlyUsd }) => hourlyUsd * HOURS_PER_MONTH,
    show: ({ hourlyUsd }) => formatMonthlyUsd(hourlyUsd * HOURS_PER_MONTH),
  },
  usdColumn('on-demand', 'All on-demand', ({ onDemandHourlyUsd }) => onDemandHourlyUsd),
  usdColumn('saved', 'Saved by spot', saved),
];
const FREE_ROOM = usdColumn('free', 'Free room', ({ freeHourlyUsd }) => freeHourlyUsd);
const BY_NODE: readonly Column<CostRow>[] = [NAMES, NODES, ...AMOUNTS, FREE_ROOM];
const BY_POD: readonly Column<CostRow>[] = [NAMES, ...AMOUNTS];

function usdColumn(id: string, title: string, value: (row: CostRow) => number | undefined): Column<CostRow> {
  const show = (row: CostRow) => {
    const usd = value(row);
    return usd === undefined ? '–' : formatShortUsd(usd);
  };
  return { id, title, align: 'end', value, show };
}

/** Where the money goes: by capacity type, NodePool, namespace or workload. */
export function CostScreen() {
  const { at } = useUi();
  const view = usePolled(useCallback(() => getCost(at), [at]));
  useReady(view !== undefined);
  const [grouping, setGrouping] = useState<CostGrouping>('capacity');
  return (
    <section className={cx(styles.screen)} aria-label="Cost" data-testid="cost">
      {view ? (
        <>
          <DataTable
            key={grouping}
            name={`cost by ${grouping}`}
            testId="cost-table"
            columns={grouping === 'capacity' || grouping === 'pool' ? BY_NODE : BY_POD}
            rows={view.groups[grouping]}
            total={view.total}
            getKey={({ name }) => name}
            start={{ column: 'hour', direction: 'descending' }}
          >
            <h2>Cost</h2>
            <Segmented label="Cost by" testId="cost-by" value={grouping} onChange={setGrouping} options={GROUPINGS} />
          </DataTable>
          <CostCurve by={grouping} />
          <AboveBound {...view} />
          <Reservations {...view} />
          <Notes {...view} />
        </>
      ) : (
        <p className={cx(styles.empty)}>Adding up the cost …</p>
      )}
    </section>
  );
}

function AboveBound({ bound, total }: CostView) {
  if (!bound) return null;
  const { hourlyUsd, costUsd = total.hourlyUsd, parts = [] } = bound;
  const gap = Math.max(0, costUsd - hourlyUsd);
  return (
    <section className={cx(styles.part)} data-testid="above-bound" aria-label="Lower bound">
      <h3>
        {gap < 0.0005
          ? `At the lower bound of ${formatUsd(hourlyUsd)} an hour`
          : `Why ${formatShortUsd(gap)} an hour above the lower bound of ${formatShortUsd(hourlyUsd)}`}
      </h3>
      <p>No set of nodes can hold these pods for less at today's prices.</p>
      {parts.length > 0 && (
        <table className={cx(styles.parts)}>
          <thead>
            <tr>
              <th scope="col">Cause</th>
              <th scope="col">USD per hour</th>
              <th scope="col">USD per month</th>
              <th scope="col">Of the difference</th>
            </tr>
          </thead>
          <tbody>
            {parts.map((part) => (
              <tr key={part.label}>
                <th scope="row">{part.label}</th>
                <td>{formatShortUsd(part.hourlyUsd)}</td>
                <td>{formatMonthlyUsd(part.hourlyUsd * HOURS_PER_MONTH)}</td>
                <td>{formatPercent(part.hourlyUsd / gap)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Notes({ notes }: CostView) {
  return (
    <section className={cx(styles.part)} aria-label="About these numbers">
      <h3>About these numbers</h3>
      <ul className={cx(styles.notes)} data-testid="cost-notes">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}

/** Used and idle hours of the capacity that the account has reserved; absent if there is none. */
function Reservations({ reservations, reservationsSince: since }: CostView) {
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
