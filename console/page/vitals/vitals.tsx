import type { ReactNode } from 'react';
import type { CapacityType } from '../../../shared/model/offerings/instance-type.ts';
import { totalOf } from '../../cost.ts';
import { formatCount, formatDuration, formatMonthlyUsd, formatPercent, formatUsd } from '../../format.ts';
import type { BoundPart, TotalsView } from '../../views.ts';
import { cx, VISUALLY_HIDDEN } from '../class-names.ts';
import { usePage } from '../store/use-page.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import styles from './vitals.module.css';

/** The state of the cluster in one line. */
export function Vitals() {
  const totals = usePage(({ model }) => model?.totals);
  return (
    <section className={cx(styles.vitals)} aria-label="Vitals">
      <NodesVital totals={totals} />
      <PodsVital totals={totals} />
      <ResourcesVital totals={totals} />
      <CostVital totals={totals} />
      <BoundVital totals={totals} />
      <WaitVital totals={totals} />
      <DisruptionsVital totals={totals} />
    </section>
  );
}

function CostVital({ totals }: TotalsProps<TotalsView>) {
  return (
    <Vital name="cost" title="Cost" value={totals ? formatUsd(totalOf(totals.hourlyUsd)) : DASH} unit="per hour">
      {totals && `${formatMonthlyUsd(totals.monthlyUsd)} a month at this rate`}
    </Vital>
  );
}

function PodsVital({ totals }: TotalsProps<TotalsView>) {
  return (
    <Vital name="pods" title="Pods running" value={totals ? formatCount(totals.runningPods) : DASH}>
      {totals && <Pending totals={totals} />}
    </Vital>
  );
}

function Pending({ totals }: { readonly totals: TotalsView }) {
  const now = useClusterNow(1_000);
  const { pendingPods, oldestPendingSince } = totals;
  if (pendingPods === 0 || oldestPendingSince === undefined) return 'none pending';
  const wait = formatDuration(Math.max(0, now - oldestPendingSince));
  return (
    <span className={cx(styles.watch)}>
      {formatCount(pendingPods)} pending, oldest {wait}
    </span>
  );
}

const ORDER: readonly CapacityType[] = ['spot', 'on-demand', 'reserved'];

function NodesVital({ totals }: TotalsProps<TotalsView>) {
  const count = totals && ORDER.reduce((sum, type) => sum + totals.nodes[type], 0);
  const parts = ORDER.filter((type) => totals && totals.nodes[type] > 0);
  return (
    <Vital
      name="nodes"
      title="Nodes"
      value={count === undefined ? DASH : formatCount(count)}
      unit={totals && totals.startingNodes > 0 ? `${formatCount(totals.startingNodes)} starting` : undefined}
    >
      {totals && (
        <>
          <span className={VISUALLY_HIDDEN}>{parts.map((type) => `${totals.nodes[type]} ${type}`).join(', ')}</span>
          <span className={cx(styles.split)} aria-hidden="true">
            {parts.map((type) => (
              <i key={type} data-capacity={type} style={{ flexGrow: totals.nodes[type] }} />
            ))}
          </span>
        </>
      )}
    </Vital>
  );
}

/** Distance to the lower bound for these pods. */
function BoundVital({ totals }: TotalsProps<TotalsView>) {
  const bound = totals?.bound;
  const cost = bound?.costUsd ?? (totals ? totalOf(totals.hourlyUsd) : 0);
  const above = bound && Math.max(0, cost / bound.hourlyUsd - 1);
  return (
    <Vital
      name="bound"
      title="Above the lower bound"
      value={above === undefined ? DASH : formatPercent(above, above < 0.995 ? 1 : 0)}
      unit={bound && `bound ${formatUsd(bound.hourlyUsd)}`}
    >
      <span title={bound?.parts?.map(partText).join(', ')}>{bound?.text}</span>
    </Vital>
  );
}

const partText = ({ label, hourlyUsd }: BoundPart): string => `${formatUsd(hourlyUsd)} ${label}`;

function WaitVital({ totals }: TotalsProps<TotalsView>) {
  const wait = totals?.wait;
  return (
    <Vital name="wait" title="Pending to running" value={wait ? formatDuration(wait.p50Ms) : DASH} unit="median">
      {wait && `p99 ${formatDuration(wait.p99Ms)}, ${formatCount(wait.pods)} pods`}
    </Vital>
  );
}

function DisruptionsVital({ totals }: TotalsProps<TotalsView>) {
  const { allowed, inProgress = 0, text } = totals?.disruptions ?? {};
  return (
    <Vital
      name="disruptions"
      title="Disruptions allowed now"
      value={allowed === undefined ? DASH : formatCount(allowed)}
      unit={inProgress > 0 ? `${formatCount(inProgress)} in progress` : undefined}
    >
      {text}
    </Vital>
  );
}

/** Requested share of allocatable on the registered nodes. */
function ResourcesVital({ totals }: TotalsProps<TotalsView>) {
  return (
    <div className={cx(styles.vital, styles.meters)} data-testid="vital-resources">
      <h2 className={VISUALLY_HIDDEN}>Requested of allocatable</h2>
      <Meter name="CPU" part={totals?.requested.cpuMilli} whole={totals?.allocatable.cpuMilli} />
      <Meter name="Memory" part={totals?.requested.memoryMib} whole={totals?.allocatable.memoryMib} />
      {totals && totals.allocatable.gpu > 0 && (
        <Meter name="GPU" part={totals.requested.gpu} whole={totals.allocatable.gpu} isCounted />
      )}
    </div>
  );
}

interface MeterProps {
  readonly name: string;
  readonly part: number | undefined;
  readonly whole: number | undefined;
  readonly isCounted?: boolean;
}

function Meter({ name, part, whole, isCounted = false }: MeterProps) {
  const share = part === undefined || !whole ? undefined : part / whole;
  const text = isCounted ? `${part} / ${whole}` : share === undefined ? DASH : formatPercent(share);
  return (
    <p className={cx(styles.meter)}>
      <span>{name}</span>
      <span className={cx(styles.track)} aria-hidden="true">
        <i data-resource={name} style={{ width: `${Math.min(1, share ?? 0) * 100}%` }} />
      </span>
      <span className={cx(styles.share)}>{text}</span>
    </p>
  );
}

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
function Vital({ name, title, value, unit, children }: VitalProps) {
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

const DASH = '–';

interface TotalsProps<T> {
  /** `undefined` before the first message; the tiles then show dashes. */
  readonly totals: T | undefined;
}
