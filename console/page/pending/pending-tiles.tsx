import { cx } from '../class-names.ts';
import { NamespaceTile } from '../controls/namespace-tile.tsx';
import styles from './pending.module.css';

const SHOWN = 12;

/** Pods as the map draws them, in their namespace's colour. */
export function PendingTiles({ keys }: { readonly keys: readonly string[] }) {
  return (
    <span className={cx(styles.tiles)} aria-hidden="true">
      {keys.slice(0, SHOWN).map((key) => (
        <NamespaceTile key={key} namespace={key.slice(0, key.indexOf('/'))} isPlanned />
      ))}
    </span>
  );
}
