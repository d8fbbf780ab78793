import {
  createElement,
  type HTMLAttributes,
  type KeyboardEvent,
  memo,
  type PointerEvent,
  type ReactElement,
  type RefObject,
  useId,
} from 'react';
import { formatCpu, formatMemory, formatPercent } from '../../format.ts';
import type { NodeView, ObjectRef, PodView } from '../../views.ts';
import { cx } from '../class-names.ts';
import { useUi } from '../ui/ui-context.ts';
import styles from './cluster-map.module.css';
import { DIRECTIONS, enterNode, moveSelection } from './layout/keyboard-navigation.ts';
import { type Box, findBoxAt } from './layout/layout.ts';
import { isInWindow, type MapWindow } from './layout/map-window.ts';
import { holdsPod, type Scene, type SceneBox } from './layout/scene.ts';
import { findTileAt } from './layout/tiling.ts';
import type { Picture } from './painting/surface.ts';
import type { Spot } from './pointer-card.tsx';
import { useRestingPicture } from './use-resting-picture.ts';

interface MapGridProps {
  readonly picture: Picture;
  /** The time of the user's last scrolling or zooming, as in `performance.now()`. */
  readonly gestureAt: RefObject<number>;
  readonly onPoint: (spot: Spot | undefined) => void;
}

/**
 * The map for keyboards, screen readers and pointers: transparent cells over the boxes. One tab
 * stop; the active cell is the selected object.
 */
export function MapGrid({ picture, gestureAt, onPoint }: MapGridProps) {
  const { scene } = picture;
  const { selected, select } = useUi();
  const prefix = useId();
  const resting = useRestingPicture(picture, gestureAt);
  const activeNode = resting && findActiveNode(resting.scene, selected);

  const onKeyDown = (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key];
    const next = direction
      ? moveSelection(scene, selected, direction)
      : event.key === 'Enter'
        ? enterNode(scene, selected)
        : undefined;
    if (!next) return;
    event.preventDefault();
    select(next);
  };

  return (
    <Grid
      className={cx(styles.grid)}
      style={{ width: scene.layout.width, height: scene.layout.height }}
      aria-label="Nodes of the cluster"
      aria-activedescendant={activeNode && selected && `${prefix}${idOf(selected)}`}
      onKeyDown={onKeyDown}
      onPointerMove={(event) => onPoint(spotOf(scene, event))}
      onPointerLeave={() => onPoint(undefined)}
      onClick={(event) => {
        const spot = spotOf(scene, event);
        select(spot && objectAt(spot, selected));
      }}
    >
      {resting && <GridRows picture={resting} {...{ prefix, activeNode, selected }} />}
    </Grid>
  );
}

interface GridRowsProps {
  /** Boxes outside of its window have no cells, except the one that the keyboard is on. */
  readonly picture: Picture;
  readonly prefix: string;
  readonly activeNode: SceneBox | undefined;
  readonly selected: ObjectRef | undefined;
}

/** Not rendered again while only the pointer moves. */
const GridRows = memo(function GridRows({ picture, prefix, activeNode, selected }: GridRowsProps) {
  const { scene, window } = picture;
  return (
    <>
      {listRows(scene, window, activeNode).map(({ lane, boxes }) => (
        <GridRow key={lane} aria-label={lane}>
          {boxes.map((scened) => (
            <GridNode
              key={scened.box.name}
              id={`${prefix}${idOf({ kind: 'node', name: scened.box.name })}`}
              scened={scened}
              isSelected={isNode(selected, scened.box.name)}
            />
          ))}
        </GridRow>
      ))}
      {activeNode && <GridPods {...{ activeNode, prefix, selected }} />}
    </>
  );
});

/** The end of a cell's id. */
const idOf = ({ kind, name }: ObjectRef): string => `${kind}-${name}`;

/** The lanes with their boxes in sight, and the box that the keyboard is on. */
function listRows(scene: Scene, window: MapWindow, activeNode: SceneBox | undefined) {
  const isShown = (box: Box) => isInWindow(box, window) || box.name === activeNode?.box.name;
  return scene.layout.lanes.flatMap(({ name: lane, rows }) => {
    const shown = rows.flatMap((row) => row.filter(isShown));
    const boxes = shown.flatMap(({ name }) => scene.boxes.get(name) ?? []);
    return boxes.length === 0 ? [] : [{ lane, boxes }];
  });
}

const isNode = (selected: ObjectRef | undefined, name: string): boolean =>
  selected?.kind === 'node' && selected.name === name;

/** Finds the node whose pods can be selected: the selected node, or the selected pod's. */
function findActiveNode(scene: Scene, selected: ObjectRef | undefined): SceneBox | undefined {
  if (!selected) return undefined;
  if (selected.kind === 'node') return scene.boxes.get(selected.name);
  return scene.boxes.values().find((box) => holdsPod(box, selected.name));
}

function spotOf(
  scene: Scene,
  { clientX, clientY, currentTarget }: Pick<PointerEvent, 'clientX' | 'clientY' | 'currentTarget'>,
): Spot | undefined {
  const bounds = currentTarget.getBoundingClientRect();
  const [x, y] = [clientX - bounds.left, clientY - bounds.top];
  const box = findBoxAt(scene.layout, x, y);
  if (!box) return undefined;
  const pod = findTileAt(scene.boxes.get(box.name)?.content.tiles ?? [], x, y);
  return { node: box.name, clientX, clientY, ...(pod !== undefined && { pod: pod.key }) };
}

/** A click selects the node; a second click on a pod of the selected node selects the pod. */
function objectAt({ node, pod }: Spot, selected: ObjectRef | undefined): ObjectRef {
  const isInside = pod !== undefined && (selected?.kind === 'pod' || isNode(selected, node));
  return isInside ? { kind: 'pod', name: pod } : { kind: 'node', name: node };
}

type Attributes = HTMLAttributes<HTMLDivElement> & { readonly 'data-testid'?: string };

// Elements of the ARIA grid pattern. Their cells lie over a canvas at the positions of their boxes,
// which a `<table>` cannot do; `createElement` sets roles that the JSX lint rules reserve for
// tables.

/** A single tab stop; it names its active cell by `aria-activedescendant`. */
const Grid = (attributes: Attributes): ReactElement =>
  createElement('div', { role: 'grid', tabIndex: 0, ...attributes });

const GridRow = (attributes: Attributes): ReactElement => createElement('div', { role: 'row', ...attributes });

const GridCell = (attributes: Attributes): ReactElement => createElement('div', { role: 'gridcell', ...attributes });

interface GridNodeProps {
  readonly id: string;
  readonly scened: SceneBox;
  readonly isSelected: boolean;
}

/**
 * A cell over a box. Scenes reuse unchanged boxes, so that unchanged cells are not rendered again.
 */
const GridNode = memo(function GridNode({ id, scened, isSelected }: GridNodeProps) {
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
  const parts = [name, instanceType, capacityType, zone, cpu, state.replace('-', ' ')];
  return parts.filter((part) => part !== undefined).join(', ');
}

interface GridPodsProps {
  readonly activeNode: SceneBox;
  readonly prefix: string;
  readonly selected: ObjectRef | undefined;
}

/** Cells for the pods of the selected node only: 30,000 cells would be unusable. */
function GridPods({ activeNode, prefix, selected }: GridPodsProps) {
  return (
    <GridRow aria-label={`Pods of ${activeNode.box.name}`}>
      {activeNode.content.tiles.map(({ item: pod, x, y, w, h }) => (
        <GridCell
          key={pod.key}
          id={`${prefix}${idOf({ kind: 'pod', name: pod.key })}`}
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
