import type { ObjectRef } from '../../../views.ts';
import type { Box, MapLayout, Rect } from './layout.ts';
import type { Scene } from './scene.ts';

type Direction = 'left' | 'right' | 'up' | 'down';

export const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/** Finds the box that an arrow key selects; the first one without a selection. */
export function findNeighbourBox(
  { lanes }: MapLayout,
  from: string | undefined,
  direction: Direction,
): Box | undefined {
  const rows = lanes.flatMap((lane) => lane.rows);
  const rowIndex = rows.findIndex((row) => row.some(({ name }) => name === from));
  const row = rows[rowIndex];
  const box = row?.find(({ name }) => name === from);
  if (!row || !box) return rows[0]?.[0];

  const index = row.indexOf(box);
  switch (direction) {
    case 'left':
      return row[index - 1] ?? rows[rowIndex - 1]?.at(-1) ?? box;
    case 'right':
      return row[index + 1] ?? rows[rowIndex + 1]?.[0] ?? box;
    case 'up':
      return nearestTo(box, rows[rowIndex - 1] ?? []) ?? box;
    case 'down':
      return nearestTo(box, rows[rowIndex + 1] ?? []) ?? box;
  }
}

/** Finds the tile that an arrow key selects within a box: the nearest centre in that direction. */
function findNeighbourTile<T extends Rect>(tiles: readonly T[], from: T, direction: Direction): T {
  const ahead = tiles.filter((tile) => tile !== from && isAhead(from, tile, direction));
  return nearestTo(from, ahead) ?? from;
}

const middle = ({ x, y, w, h }: Rect) => ({ x: x + w / 2, y: y + h / 2 });

function isAhead(from: Rect, to: Rect, direction: Direction): boolean {
  const [a, b] = [middle(from), middle(to)];
  switch (direction) {
    case 'left':
      return b.x < a.x - 0.5;
    case 'right':
      return b.x > a.x + 0.5;
    case 'up':
      return b.y < a.y - 0.5;
    case 'down':
      return b.y > a.y + 0.5;
  }
}

function nearestTo<T extends Rect>(from: Rect, candidates: readonly T[]): T | undefined {
  const distance = (rect: Rect) => {
    const [a, b] = [middle(from), middle(rect)];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  return candidates.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** Finds the object that an arrow key selects, among nodes or among the pods of a node. */
export function moveSelection(
  scene: Scene,
  selected: ObjectRef | undefined,
  direction: Direction,
): ObjectRef | undefined {
  if (selected?.kind === 'pod') return movePodSelection(scene, selected, direction);
  const box = findNeighbourBox(scene.layout, selected?.name, direction);
  return box && { kind: 'node', name: box.name };
}

function movePodSelection(scene: Scene, selected: ObjectRef, direction: Direction): ObjectRef {
  for (const { content } of scene.boxes.values()) {
    const tile = content.tiles.find(({ item }) => item.key === selected.name);
    if (!tile) continue;
    return { kind: 'pod', name: findNeighbourTile(content.tiles, tile, direction).item.key };
  }
  return selected;
}

/** The first pod of the selected node. */
export function enterNode(scene: Scene, selected: ObjectRef | undefined): ObjectRef | undefined {
  if (selected?.kind !== 'node') return undefined;
  const [first] = scene.boxes.get(selected.name)?.content.tiles ?? [];
  return first && { kind: 'pod', name: first.item.key };
}
