import { memo } from 'react';
import { formatPercent } from '../../format.ts';
import type { NodeView } from '../../views.ts';
import { cx } from '../class-names.ts';
import { GridCell } from './aria-grid.tsx';
import styles from './cluster-map.module.css';
import type { SceneBox } from './scene.ts';

interface GridNodeProps {
  readonly id: string;
  readonly scened: SceneBox;
  readonly isSelected: boolean;
}

/**
 * A cell over a box. Scenes reuse unchanged boxes, so that unchanged cells are not rendered again.
 */
export const GridNode = memo(function GridNode({ id, scened, isSelected }: GridNodeProps) {
  const { box, item } = scened;
  return (
    <GridCell
      id={id}
      className={cx(styles.cell)}
      style={{ left: box.x, top: box.y, width: box.w, height: box.h }}
      data-testid={`node-${box.name}`}
      data-state={item.node.state}
      aria-label={nodeName(item.node)}
      aria-selected={isSelected}
    />
  );
});

/** "general-m4xq8, c7g.4xlarge, spot, us-east-1b, 92 % CPU, ready". */
function nodeName(node: NodeView): string {
  const { name, instanceType, capacityType, zone, requested, allocatable, state } = node;
  const cpu = `${formatPercent(requested.cpuMilli / allocatable.cpuMilli)} CPU`;
  const known = [name, instanceType, capacityType, zone, cpu, state.replace('-', ' ')];
  return known.filter((part) => part !== undefined).join(', ');
}
