import { formatUsd, plural } from '../../format.ts';
import { cx } from '../class-names.ts';
import styles from './cluster-map.module.css';
import type { Scene } from './scene.ts';

/** Name, count and cost of each lane at its height. */
export function LaneHeads({ scene }: { readonly scene: Scene }) {
  const costs = new Map(scene.lanes.map((lane) => [lane.name, lane]));
  return (
    <ul className={cx(styles.heads)} aria-label="Lanes">
      {scene.layout.lanes.map(({ name, y, h }) => (
        <li key={name} className={cx(styles.head)} style={{ top: y, height: h }}>
          <strong title={name}>{name}</strong>
          <span>{plural(costs.get(name)?.nodes.length ?? 0, 'node')}</span>
          <span>{formatUsd(costs.get(name)?.hourlyUsd ?? 0)}/h</span>
        </li>
      ))}
    </ul>
  );
}
