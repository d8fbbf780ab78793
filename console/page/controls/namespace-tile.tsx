import { cx } from '../class-names.ts';
import { usePage } from '../store/use-page.ts';
import styles from './namespace-tile.module.css';

interface NamespaceTileProps {
  readonly namespace: string;
  /** True for a pod without a node. */
  readonly isPlanned?: boolean;
}

/** A namespace's colour, as on the map. */
export function NamespaceTile({ namespace, isPlanned = false }: NamespaceTileProps) {
  const rank = usePage(({ model }) => model?.namespaces.indexOf(namespace) ?? -1);
  return (
    <i
      className={cx(styles.tile, isPlanned && styles.planned)}
      data-tile={rank >= 0 && rank < 6 ? rank + 1 : 'other'}
      aria-hidden="true"
    />
  );
}
