import type { NodeState, PodView } from '../../../views.ts';
import type { Rect } from '../layout/layout.ts';
import type { Scene } from '../layout/scene.ts';
import type { Tile } from '../layout/tiling.ts';
import { type Brush, fillRect, inset, roundRect, TILE_FONT } from './brush.ts';
import type { Palette } from './palette.ts';

/** A pod: its area is its share of the node, its colour its namespace. */
export function paintTile(
  { context, palette, fitter }: Brush,
  scene: Scene,
  tile: Tile<PodView>,
  state: NodeState,
): void {
  const { item: pod, x, y } = tile;
  const isLabelled = scene.layout.level.detail === 'labels';
  const color = tileColor(palette, scene.namespaceColors, pod.namespace);
  const isPlanned = pod.state === 'pending';
  const isLeaving = pod.state === 'leaving';
  const gap = tile.w > 4 && tile.h > 4 ? 1 : 0.25;
  const [w, h] = [tile.w - gap, tile.h - gap];
  if (isLeaving) context.globalAlpha = 0.35;
  if (isPlanned || state === 'starting') {
    outline(context, { x, y, w, h }, color, palette);
  } else {
    context.fillStyle = color;
    if (isLabelled) fillRect(context, { x, y, w, h }, 2);
    else context.fillRect(x, y, Math.max(0, w), Math.max(0, h));
  }
  if (isLabelled && tile.w >= 26 && tile.h >= 13) {
    const label = fitter.fit(pod.workload, TILE_FONT, tile.w - 8);
    context.font = TILE_FONT;
    context.textBaseline = 'middle';
    context.fillStyle = isPlanned ? palette.ink2 : palette.tileInk;
    context.fillText(label, x + 4, y + Math.min(8, tile.h / 2));
  }
  if (isLeaving) context.globalAlpha = 1;
}

/** A planned pod: a light fill and a dashed frame. */
function outline(context: CanvasRenderingContext2D, rect: Rect, color: string, palette: Palette): void {
  context.globalAlpha = 0.35;
  context.fillStyle = color;
  fillRect(context, rect, 2);
  context.globalAlpha = 1;
  if (rect.w < 6 || rect.h < 6) return;
  roundRect(context, inset(rect, 0.5), 2);
  context.setLineDash([3, 2]);
  context.lineWidth = 1;
  context.strokeStyle = palette.ink3;
  context.stroke();
  context.setLineDash([]);
}

/** The six largest namespaces have a colour; the others share a grey. */
export const tileColor = (palette: Palette, colors: ReadonlyMap<string, number>, namespace: string): string =>
  palette.tiles[colors.get(namespace) ?? Infinity] ?? palette.otherTile;
