import type { CapacityType } from '../../../shared/model/offerings/instance-type.ts';
import { formatCount } from '../../format.ts';
import type { TotalsView } from '../../views.ts';
import { cx } from '../class-names.ts';
import type { TotalsProps } from './vital.tsx';
import { DASH, Vital } from './vital.tsx';
import styles from './vitals.module.css';

const ORDER: readonly CapacityType[] = ['spot', 'on-demand', 'reserved'];

export function NodesVital({ totals }: TotalsProps<TotalsView>) {
  const count = totals && ORDER.reduce((sum, type) => sum + totals.nodes[type], 0);
  const parts = ORDER.filter((type) => totals && totals.nodes[type] > 0);
  return (
    <Vital
      name="nodes"
      title="Nodes"
      figure={count === undefined ? DASH : formatCount(count)}
      unit={
        totals && totals.startingNodes > 0
          ? `${formatCount(totals.startingNodes)} starting`
          : undefined
      }
    >
      {totals && (
        <>
          <span className={cx(styles.hidden)}>
            {parts.map((type) => `${totals.nodes[type]} ${type}`).join(', ')}
          </span>
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
