import { formatPercent } from '../../format.ts';
import type { TotalsView } from '../../views.ts';
import { cx } from '../class-names.ts';
import type { TotalsProps } from './vital.tsx';
import { DASH } from './vital.tsx';
import styles from './vitals.module.css';

/** Requested share of allocatable on the registered nodes. */
export function ResourcesVital({ totals }: TotalsProps<TotalsView>) {
  return (
    <div className={cx(styles.vital, styles.meters)} data-testid="vital-resources">
      <h2 className={cx(styles.hidden)}>Requested of allocatable</h2>
      <Meter name="CPU" part={totals?.requested.cpuMilli} whole={totals?.allocatable.cpuMilli} />
      <Meter
        name="Memory"
        part={totals?.requested.memoryMib}
        whole={totals?.allocatable.memoryMib}
      />
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
