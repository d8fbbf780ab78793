import type { CapacityType } from '../../../shared/model/offerings/instance-type.ts';
import { cx } from '../class-names.ts';
import styles from './capacity-glyph.module.css';

/** The map's shapes: ◇ spot, ■ on-demand, ⬟ reserved. */
export function CapacityGlyph({ capacityType }: { readonly capacityType: CapacityType }) {
  return (
    <svg
      className={cx(styles.glyph)}
      data-capacity={capacityType}
      width="9"
      height="9"
      viewBox="0 0 9 9"
      aria-hidden="true"
    >
      <path d={SHAPES[capacityType]} />
    </svg>
  );
}

const SHAPES: Readonly<Record<CapacityType, string>> = {
  spot: 'M4.5 1 8 4.5 4.5 8 1 4.5Z',
  'on-demand': 'M1 1h7v7H1Z',
  reserved: 'M4.5 0.4 8.6 3.4 7 8.3H2L0.4 3.4Z',
};
