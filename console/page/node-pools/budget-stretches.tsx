import { formatMinute } from '../../format.ts';
import type { BudgetStretch, PoolView } from '../../screen-views.ts';
import { cx, VISUALLY_HIDDEN } from '../class-names.ts';
import styles from './node-pools.module.css';

interface BudgetStretchesProps {
  readonly pool: PoolView;
  readonly from: number;
  readonly to: number;
}

/** The nodes that the disruption budgets allow over the next 24 hours, by reason. */
export function BudgetStretches({ pool, from, to }: BudgetStretchesProps) {
  return (
    <section className={cx(styles.budgets)} aria-label={`Disruption budgets of ${pool.name}`}>
      <h3>Nodes that may be disrupted at a time, next 24 h</h3>
      <ul>
        {pool.budgets.map(({ reason, stretches }) => (
          <li key={reason} className={cx(styles.budget)}>
            <span>{reason}</span>
            <ol className={cx(styles.bar)}>
              {stretches.map((stretch) => (
                <li
                  key={stretch.from}
                  data-closed={stretch.nodes === 0 || undefined}
                  style={{ flexGrow: (stretch.to - stretch.from) / (to - from) }}
                  title={describe(stretch)}
                >
                  <span aria-hidden="true">{amount(stretch)}</span>
                  <span className={VISUALLY_HIDDEN}>{describe(stretch)}</span>
                </li>
              ))}
            </ol>
          </li>
        ))}
      </ul>
      <p className={cx(styles.ends)} aria-hidden="true">
        <span>{formatMinute(from)}</span>
        <span>{formatMinute(to)} tomorrow</span>
      </p>
    </section>
  );
}

const amount = ({ nodes }: BudgetStretch): string => (nodes === undefined ? 'all' : `${nodes}`);

const describe = (stretch: BudgetStretch): string =>
  `${formatMinute(stretch.from)} to ${formatMinute(stretch.to)}: ${amount(stretch)}`;
