import { formatCpu, formatShortUsd } from '../../format.ts';
import type { NodeState, PodView } from '../../views.ts';
import { paintGlyph } from './glyph.ts';
import type { Rect } from './layout.ts';
import type { Palette } from './palette.ts';
import type { Scene, SceneBox } from './scene.ts';
import { hasHeader } from './scene.ts';
import type { TextFitter } from './text-fit.ts';
import type { Tile } from './tiling.ts';

export interface Brush {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly fitter: TextFitter;
}

export const TYPE_FONT = "600 11.5px 'Inter Variable'";
export const SMALL_FONT = "400 11px 'Inter Variable'";
export const NOTE_FONT = "600 11px 'Inter Variable'";
const TILE_FONT = "400 10.5px 'Inter Variable'";
const radiusOf = ({ h }: Rect): number => (h < 30 ? 2 : 4);

/** One node as it stands still: what counts down or follows the pointer is on the overlay. */
export function paintBox(brush: Brush, scene: Scene, scened: SceneBox): void {
  const { context, palette } = brush;
  const { box, item, content } = scened;
  const { state } = item.node;

  roundRect(context, inset(box, 0.5), radiusOf(box));
  context.fillStyle = state === 'not-ours' ? palette.ground : palette.panel;
  context.fill();

  paintFree(brush, scene, scened);
  context.fillStyle = palette.strip;
  fillRect(context, content.daemons, 1);
  for (const tile of content.tiles) paintTile(brush, scene, tile, state);
  for (const { item, ...stripe } of content.stripes) {
    context.fillStyle = tileColor(palette, scene.namespaceRank, item);
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

/** Every state has a frame of its own form, for those who do not see its colour. */
const FRAMES: Readonly<
  Record<
    NodeState,
    { readonly color: keyof Palette; readonly width: number; readonly dash: number[] }
  >
> = {
  starting: { color: 'accent', width: 1.5, dash: [5, 3] },
  registered: { color: 'accent', width: 1.5, dash: [] },
  ready: { color: 'frame', width: 1, dash: [] },
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

function paintHeader({ context, palette, fitter }: Brush, { box, item }: SceneBox): void {
  const { node } = item;
  const middle = box.y + 10.5;
  paintGlyph(context, node.capacityType, { x: box.x + 10, y: middle, size: 9 }, palette);

  const left = box.x + 19;
  const price = node.hourlyUsd === undefined ? '' : formatShortUsd(node.hourlyUsd);
  const priceWidth = fitter.width(price, SMALL_FONT);
  const room = box.w - 25;
  const typeWidth = fitter.width(node.instanceType, TYPE_FONT);
  const hasPrice = price !== '' && typeWidth + priceWidth + 8 <= room;

  context.textBaseline = 'middle';
  context.font = TYPE_FONT;
  context.fillStyle = palette.ink1;
  context.fillText(shortType(fitter, node.instanceType, room), left, middle);
  if (hasPrice) {
    context.font = SMALL_FONT;
    context.fillStyle = palette.ink2;
    context.fillText(price, box.x + box.w - 6 - priceWidth, middle);
  }

  // A countdown stands where the name would; the overlay writes it.
  if (node.note?.until !== undefined) return;
  const nameRoom = room - typeWidth - (hasPrice ? priceWidth + 8 : 0) - 8;
  const text = node.note?.text ?? node.name;
  const font = node.note ? NOTE_FONT : SMALL_FONT;
  if (fitter.width(text, font) > nameRoom) return;
  context.font = font;
  context.fillStyle = node.note ? noteColor(palette, node.state) : palette.ink3;
  context.fillText(text, left + typeWidth + 8, middle);
}

/** A narrow box shows the family alone: its width says the size. */
function shortType(fitter: TextFitter, instanceType: string, room: number): string {
  if (fitter.width(instanceType, TYPE_FONT) <= room) return instanceType;
  return fitter.fit(instanceType.slice(0, instanceType.indexOf('.')), TYPE_FONT, room);
}

export const noteColor = (palette: Palette, state: NodeState): string =>
  palette[NOTE_COLORS[state] ?? 'ink2'];

const NOTE_COLORS: Readonly<Partial<Record<NodeState, 'accent' | 'warn' | 'bad'>>> = {
  starting: 'accent',
  registered: 'accent',
  interrupted: 'warn',
  'not-ready': 'bad',
};

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

/** Far away there is no glyph: what is not spot has an edge on the left. */
function paintEdge({ context, palette }: Brush, { box, item }: SceneBox): void {
  const { capacityType } = item.node;
  if (capacityType === 'spot' || capacityType === undefined) return;
  context.fillStyle = capacityType === 'reserved' ? palette.reserved : palette.onDemand;
  context.fillRect(box.x + 1, box.y + 2, 2, box.h - 4);
}

function paintFree({ context, palette, fitter }: Brush, scene: Scene, scened: SceneBox): void {
  const { content, item } = scened;
  const { free } = content;
  if (scene.layout.level.detail === 'stripes') return;
  context.fillStyle = palette.dots;
  // Aligned to the map, not to the box, so that neighbours look like one sheet.
  const startX = Math.ceil((free.x + 3) / 5) * 5;
  const startY = Math.ceil((free.y + 2) / 5) * 5;
  for (let x = startX; x < free.x + free.w - 1; x += 5) {
    for (let y = startY; y < free.y + free.h - 1; y += 5) context.fillRect(x, y, 1, 1);
  }

  const { allocatable, requested } = item.node;
  const text = `${formatCpu(allocatable.cpuMilli - requested.cpuMilli)} CPU free`;
  const width = fitter.width(text, SMALL_FONT);
  if (scene.layout.level.detail !== 'labels' || free.w < width + 16) return;
  context.font = SMALL_FONT;
  context.textBaseline = 'middle';
  const [x, y] = [free.x + free.w - width - 5, free.y + free.h - 9];
  context.fillStyle = palette.panel;
  context.fillRect(x - 3, y - 7, width + 6, 14);
  context.fillStyle = palette.ink3;
  context.fillText(text, x, y);
}

function paintTile(
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
    fillRect(context, drawn, detail === 'labels' ? 2 : 1);
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

/** A pod that will be there: its colour as a wash, its frame dashed. */
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

/** Six namespaces have a colour; the rest share a grey. */
export const tileColor = (
  palette: Palette,
  ranks: ReadonlyMap<string, number>,
  namespace: string,
): string => palette.tiles[ranks.get(namespace) ?? Infinity] ?? palette.otherTile;

export const inset = ({ x, y, w, h }: Rect, by: number): Rect => ({
  x: x + by,
  y: y + by,
  w: Math.max(0, w - 2 * by),
  h: Math.max(0, h - 2 * by),
});

export function roundRect(
  context: CanvasRenderingContext2D,
  { x, y, w, h }: Rect,
  radius: number,
): void {
  context.beginPath();
  context.roundRect(x, y, w, h, Math.min(radius, w / 2, h / 2));
}

function fillRect(context: CanvasRenderingContext2D, rect: Rect, radius: number): void {
  if (rect.w <= 0 || rect.h <= 0) return;
  roundRect(context, rect, rect.w < 4 || rect.h < 4 ? 0 : radius);
  context.fill();
}
