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
  { item: pod, ...rect }: Tile<PodView>,
  state: NodeState,
): void {
  const { detail } = scene.layout.level;
  const color = tileColor(palette, scene.namespaceRank, pod.namespace);
  const isPlanned = pod.state === 'pending';
  context.globalAlpha = pod.state === 'leaving' ? 0.35 : 1;
  const gap = rect.w > 4 && rect.h > 4 ? 1 : 0.25;
  const drawn = { x: rect.x, y: rect.y, w: rect.w - gap, h: rect.h - gap };
  if (isPlanned || state === 'starting') {
    outline(context, drawn, color, palette);
  } else {
    context.fillStyle = color;
    fillRect(context, drawn, detail === 'labels' ? 2 : 0);
  }
  if (detail === 'labels' && rect.w >= 26 && rect.h >= 13) {
    const label = fitter.fit(pod.workload, TILE_FONT, rect.w - 8);
    context.font = TILE_FONT;
    context.textBaseline = 'middle';
    context.fillStyle = isPlanned ? palette.ink2 : palette.tileInk;
    context.fillText(label, rect.x + 4, rect.y + Math.min(8, rect.h / 2));
  }
  context.globalAlpha = 1;
}

/** A planned pod: a light fill and a dashed frame. */
function outline(
  context: CanvasRenderingContext2D,
  rect: Rect,
  color: string,
  palette: Palette,
): void {
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
export const tileColor = (
  palette: Palette,
  ranks: ReadonlyMap<string, number>,
  namespace: string,
): string => palette.tiles[ranks.get(namespace) ?? Infinity] ?? palette.otherTile;
