import { cx } from '../class-names.ts';
import styles from './cluster-map.module.css';

export function EmptyMap() {
  return (
    <p className={cx(styles.empty)}>No nodes yet. Pods that cannot be scheduled will get one.</p>
  );
}
