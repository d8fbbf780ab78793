import { cx } from '../class-names.ts';
import { usePage } from '../store/use-page.ts';
import { colorNamespaces } from './namespace-colors.ts';
import styles from './namespace-tile.module.css';

interface NamespaceTileProps {
  readonly namespace: string;
  /** True for a pod without a node. */
  readonly isPlanned?: boolean;
}

/** A namespace's colour, as on the map. */
export function NamespaceTile({ namespace, isPlanned = false }: NamespaceTileProps) {
  const color = usePage(({ model }) => colorNamespaces(model?.namespaces ?? []).get(namespace));
  return (
    <i
      className={cx(styles.tile, isPlanned && styles.planned)}
      data-tile={color === undefined ? 'other' : color + 1}
      aria-hidden="true"
    />
  );
}
