import { formatCpu, formatMemory } from '../../format.ts';
import type { ObjectRef, PodView } from '../../views.ts';
import { cx } from '../class-names.ts';
import { GridCell, GridRow } from './aria-grid.tsx';
import styles from './cluster-map.module.css';
import type { SceneBox } from './scene.ts';

interface GridPodsProps {
  readonly home: SceneBox;
  readonly idOf: (key: string) => string;
  readonly selected: ObjectRef | undefined;
}

/** Cells for the pods of the selected node only: 30,000 cells would be unusable. */
export function GridPods({ home, idOf, selected }: GridPodsProps) {
  return (
    <GridRow aria-label={`Pods of ${home.box.name}`}>
      {home.content.tiles.map(({ item: pod, x, y, w, h }) => (
        <GridCell
          key={pod.key}
          id={idOf(pod.key)}
          className={cx(styles.cell)}
          style={{ left: x, top: y, width: w, height: h }}
          data-testid={`pod-${pod.namespace}-${pod.name}`}
          data-state={pod.state}
          aria-label={podName(pod)}
          aria-selected={selected?.kind === 'pod' && selected.name === pod.key}
        />
      ))}
    </GridRow>
  );
}

const podName = ({ key, requests, state }: PodView): string =>
  `${key}, ${formatCpu(requests.cpuMilli)} CPU, ${formatMemory(requests.memoryMib)}, ${state}`;
