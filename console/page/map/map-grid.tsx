import type { KeyboardEvent, PointerEvent } from 'react';
import { useId } from 'react';
import type { ObjectRef } from '../../views.ts';
import { cx } from '../class-names.ts';
import { useUi } from '../ui/ui-context.ts';
import { Grid, GridRow } from './aria-grid.tsx';
import styles from './cluster-map.module.css';
import { GridNode } from './grid-node.tsx';
import { GridPods } from './grid-pods.tsx';
import { boxAt, tileAt } from './hit-test.ts';
import { DIRECTIONS } from './neighbours.ts';
import type { Spot } from './pointer.ts';
import type { Scene, SceneBox } from './scene.ts';
import { entered, moved } from './steps.ts';

interface MapGridProps {
  readonly scene: Scene;
  readonly onPoint: (spot: Spot | undefined) => void;
}

/**
 * The map for keyboards, screen readers and pointers: transparent cells over the boxes. One tab
 * stop; the active cell is the selected object.
 */
export function MapGrid({ scene, onPoint }: MapGridProps) {
  const { selected, select } = useUi();
  const prefix = useId();
  const nodeId = (name: string) => `${prefix}node-${name}`;
  const podId = (key: string) => `${prefix}pod-${key}`;
  const home = homeOf(scene, selected);

  const onKeyDown = (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key];
    const next = direction
      ? moved(scene, selected, direction)
      : event.key === 'Enter'
        ? entered(scene, selected)
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
      aria-activedescendant={activeId(scene, selected, nodeId, podId)}
      onKeyDown={onKeyDown}
      onPointerMove={(event) => onPoint(spotOf(scene, event))}
      onPointerLeave={() => onPoint(undefined)}
      onClick={(event) => {
        const spot = spotOf(scene, event);
        select(spot && objectAt(spot, selected));
      }}
    >
      {scene.layout.lanes.map((lane) => (
        <GridRow key={lane.name} aria-label={lane.name}>
          {lane.rows.flat().map(({ name }) => {
            const scened = scene.boxes.get(name);
            return (
              scened && (
                <GridNode
                  key={name}
                  id={nodeId(name)}
                  scened={scened}
                  isSelected={isNode(selected, name)}
                />
              )
            );
          })}
        </GridRow>
      ))}
      {home && <GridPods home={home} idOf={podId} selected={selected} />}
    </Grid>
  );
}

const isNode = (selected: ObjectRef | undefined, name: string): boolean =>
  selected?.kind === 'node' && selected.name === name;

/** Finds the node whose pods can be selected: the selected node, or the selected pod's. */
function homeOf(scene: Scene, selected: ObjectRef | undefined): SceneBox | undefined {
  if (!selected) return undefined;
  if (selected.kind === 'node') return scene.boxes.get(selected.name);
  return scene.boxes
    .values()
    .find(({ content }) => content.tiles.some(({ item }) => item.key === selected.name));
}

function activeId(
  scene: Scene,
  selected: ObjectRef | undefined,
  nodeId: (name: string) => string,
  podId: (key: string) => string,
): string | undefined {
  const home = homeOf(scene, selected);
  if (!home || !selected) return undefined;
  return selected.kind === 'node' ? nodeId(selected.name) : podId(selected.name);
}

function spotOf(
  scene: Scene,
  { clientX, clientY, currentTarget }: Pick<PointerEvent, 'clientX' | 'clientY' | 'currentTarget'>,
): Spot | undefined {
  const { left, top } = currentTarget.getBoundingClientRect();
  const [x, y] = [clientX - left, clientY - top];
  const box = boxAt(scene.layout, x, y);
  if (!box) return undefined;
  const pod = tileAt(scene.boxes.get(box.name)?.content.tiles ?? [], x, y);
  return { node: box.name, clientX, clientY, ...(pod === undefined ? {} : { pod: pod.key }) };
}

/** A click selects the node; a second click on a pod of the selected node selects the pod. */
function objectAt({ node, pod }: Spot, selected: ObjectRef | undefined): ObjectRef {
  const isInside = pod !== undefined && (selected?.kind === 'pod' || isNode(selected, node));
  return isInside ? { kind: 'pod', name: pod } : { kind: 'node', name: node };
}
