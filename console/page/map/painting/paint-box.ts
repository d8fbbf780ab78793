import { formatCpu } from '../../../format.ts';
import type { NodeState, PodView } from '../../../views.ts';
import type { Rect } from '../layout/layout.ts';
import { hasHeader, type Scene, type SceneBox } from '../layout/scene.ts';
import type { Tile } from '../layout/tiling.ts';
import { type Brush, DOT_EVERY, fillRect, inset, roundRect, SMALL_FONT, TILE_FONT } from './brush.ts';
import { paintHeader } from './paint-header.ts';
import type { Palette } from './palette.ts';

const radiusOf = ({ h }: Rect): number => (h < 30 ? 2 : 4);

/** Paints the static part of a node; countdowns and the pointer's highlight are on the overlay. */
export function paintBox(brush: Brush, scene: Scene, scened: SceneBox): void {
  const { context, palette } = brush;
  const { box, item, content } = scened;
  const { state } = item.node;

  roundRect(context, inset(box, 0.5), radiusOf(box));
  context.fillStyle = state === 'not-ours' ? palette.ground : palette.panel;
  context.fill();

  paintFree(brush, scene, scened);
  context.fillStyle = palette.strip;
  fillRect(context, content.daemons, 0);
  for (const tile of content.tiles) paintTile(brush, scene, tile, state);
  for (const { item, ...stripe } of content.stripes) {
    context.fillStyle = tileColor(palette, scene.namespaceColors, item);
    context.fillRect(stripe.x, stripe.y, stripe.w, stripe.h);
  }
  if (hasHeader(scene.layout.level)) {
    paintHeader(brush, scened);
    paintMeters(brush, scened);
  } else {
    paintEdge(brush, scened);
  }
  paintFrame(brush, scened);
}

/** Each state has its own frame, readable without colour. */
const FRAMES: Readonly<
  Record<NodeState, { readonly color: keyof Palette; readonly width: number; readonly dash: number[] }>
> = {
  starting: { color: 'accent', width: 1.5, dash: [5, 3] },
  registered: { color: 'accent', width: 1.5, dash: [] },
  ready: { color: 'frame', width: 1, dash: [] },
  drifted: { color: 'ink3', width: 1.5, dash: [8, 2, 2, 2] },
  held: { color: 'frame', width: 1, dash: [] },
  empty: { color: 'ink3', width: 1, dash: [2, 2] },
  draining: { color: 'ink3', width: 1.5, dash: [8, 2] },
  interrupted: { color: 'warn', width: 2, dash: [] },
  'not-ready': { color: 'bad', width: 1.5, dash: [] },
  'not-ours': { color: 'line', width: 1, dash: [] },
};

function paintFrame({ context, palette }: Brush, { box, item }: SceneBox): void {
  const { color, width, dash } = FRAMES[item.node.state];
  roundRect(context, inset(box, width / 2), radiusOf(box));
  context.setLineDash(dash);
  context.lineWidth = width;
  context.strokeStyle = String(palette[color]);
  context.stroke();
  context.setLineDash([]);
}

function paintMeters({ context, palette }: Brush, { box, item }: SceneBox): void {
  const { requested, allocatable } = item.node;
  const bar = (y: number, share: number, color: string) => {
    const [x, w] = [box.x + 4, box.w - 8];
    context.fillStyle = palette.track;
    context.fillRect(x, y, w, 2);
    context.fillStyle = color;
    context.fillRect(x, y, w * Math.min(1, Number.isFinite(share) ? share : 0), 2);
  };
  bar(box.y + box.h - 7, requested.cpuMilli / allocatable.cpuMilli, palette.meter1);
  bar(box.y + box.h - 4, requested.memoryMib / allocatable.memoryMib, palette.meter2);
}

/** At far levels there is no glyph; an edge on the left marks nodes that are not spot. */
function paintEdge({ context, palette }: Brush, { box, item }: SceneBox): void {
  const { capacityType } = item.node;
  if (capacityType === 'spot' || capacityType === undefined) return;
  context.fillStyle = capacityType === 'reserved' ? palette.reserved : palette.onDemand;
  context.fillRect(box.x + 1, box.y + 2, box.w < 12 ? 1 : 2, box.h - 4);
}

function paintFree(brush: Brush, { layout: { level } }: Scene, { content, item }: SceneBox): void {
  const { context, palette, fitter } = brush;
  const { free } = content;
  if (level.detail === 'stripes') return;
  paintDots(brush, free);
  if (level.detail !== 'labels') return;

  const { allocatable, requested } = item.node;
  const text = `${formatCpu(allocatable.cpuMilli - requested.cpuMilli)} CPU free`;
  const width = fitter.width(text, SMALL_FONT);
  if (free.w < width + 16) return;
  context.font = SMALL_FONT;
  context.textBaseline = 'middle';
  const [x, y] = [free.x + free.w - width - 5, free.y + free.h - 9];
  context.fillStyle = palette.panel;
  context.fillRect(x - 3, y - 7, width + 6, 14);
  context.fillStyle = palette.ink3;
  context.fillText(text, x, y);
}

/** Dots are aligned to the map, not to the box, so that the pattern continues across boxes. */
function paintDots({ context, dots }: Brush, free: Rect): void {
  const x = Math.ceil((free.x + 3) / DOT_EVERY) * DOT_EVERY;
  const y = Math.ceil((free.y + 2) / DOT_EVERY) * DOT_EVERY;
  const [w, h] = [free.x + free.w - 1 - x, free.y + free.h - 1 - y];
  if (w <= 0 || h <= 0) return;
  context.fillStyle = dots;
  context.fillRect(x, y, w, h);
}

/** A pod: its area is its share of the node, its colour its namespace. */
function paintTile({ context, palette, fitter }: Brush, scene: Scene, tile: Tile<PodView>, state: NodeState): void {
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
const tileColor = (palette: Palette, colors: ReadonlyMap<string, number>, namespace: string): string =>
  palette.tiles[colors.get(namespace) ?? Infinity] ?? palette.otherTile;
