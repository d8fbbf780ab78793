import { cx } from '../class-names.ts';
import { usePage } from '../store/use-page.ts';
import { CostVital } from './cost-vital.tsx';
import { NodesVital } from './nodes-vital.tsx';
import { PodsVital } from './pods-vital.tsx';
import { ResourcesVital } from './resources-vital.tsx';
import { BoundVital, DisruptionsVital, WaitVital } from './simple-vitals.tsx';
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
