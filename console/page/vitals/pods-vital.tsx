import { formatCount, formatDuration } from '../../format.ts';
import type { TotalsView } from '../../views.ts';
import { cx } from '../class-names.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import type { TotalsProps } from './vital.tsx';
import { DASH, Vital } from './vital.tsx';
import styles from './vitals.module.css';

export function PodsVital({ totals }: TotalsProps<TotalsView>) {
  return (
    <Vital
      name="pods"
      title="Pods running"
      figure={totals ? formatCount(totals.runningPods) : DASH}
    >
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
