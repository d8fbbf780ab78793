import { formatDuration } from '../../../format.ts';
import type { Rect } from '../layout/layout.ts';
import type { Scene, SceneBox } from '../layout/scene.ts';
import { hasHeader, holdsPod } from '../layout/scene.ts';
import { type Brush, inset, NOTE_FONT, roundRect, SMALL_FONT, TYPE_FONT } from './brush.ts';
import { HEADER_LEFT, HEADER_MIDDLE, noteColor } from './paint-header.ts';

export interface OverlayState {
  /** The cluster's time, for countdowns. */
  readonly now: number;
  readonly hovered?: string;
  readonly selectedNode?: string;
  readonly selectedPod?: string;
  /** Names of the nodes that the open explanation refers to. */
  readonly evidence: readonly string[];
}

/** True if `paintOverlay` would paint nothing. */
export function isOverlayBlank(
  { layout }: Scene,
  boxes: readonly SceneBox[],
  { hovered, selectedNode, selectedPod, evidence }: OverlayState,
): boolean {
  const marks = [hovered, selectedNode, selectedPod, ...evidence];
  if (marks.some((mark) => mark !== undefined)) return false;
  return !hasHeader(layout.level) || boxes.every(({ item }) => item.node.note?.until === undefined);
}

/**
 * Paints the parts that change every second or with the pointer.
 *
 * @param boxes - those in sight
 */
export function paintOverlay(brush: Brush, scene: Scene, boxes: readonly SceneBox[], overlay: OverlayState): void {
  for (const name of overlay.evidence) {
    const evidenceBox = scene.boxes.get(name);
    if (evidenceBox) paintRing(brush, evidenceBox.box, 1.5, 1);
  }
  const hovered = overlay.hovered === undefined ? undefined : scene.boxes.get(overlay.hovered);
  if (hovered) paintRing(brush, hovered.box, 1, 0.6);
  const selected = overlay.selectedNode === undefined ? undefined : scene.boxes.get(overlay.selectedNode);
  if (selected) paintHalo(brush, selected.box);
  if (overlay.selectedPod !== undefined) markPod(brush, scene, overlay.selectedPod);
  for (const box of boxes) paintCountdown(brush, scene, box, overlay.now);
}

function paintRing({ context, palette }: Brush, box: Rect, width: number, alpha: number): void {
  context.globalAlpha = alpha;
  roundRect(context, inset(box, -width / 2), 5);
  context.lineWidth = width;
  context.strokeStyle = palette.accent;
  context.stroke();
  context.globalAlpha = 1;
}

function paintHalo({ context, palette }: Brush, box: Rect): void {
  context.globalAlpha = 0.22;
  roundRect(context, inset(box, -2), 6);
  context.lineWidth = 4;
  context.strokeStyle = palette.accent;
  context.stroke();
  context.globalAlpha = 1;
  roundRect(context, inset(box, 0), 4);
  context.lineWidth = 2;
  context.stroke();
}

function markPod({ context, palette }: Brush, { boxes }: Scene, key: string): void {
  for (const { content } of boxes.values().filter((box) => holdsPod(box, key))) {
    const tile = content.tiles.find(({ item }) => item.key === key);
    if (!tile) continue;
    roundRect(context, inset(tile, 0), 2);
    context.lineWidth = 2;
    context.strokeStyle = palette.accent;
    context.stroke();
    return;
  }
}

function paintCountdown(
  { context, palette, fitter }: Brush,
  { layout }: Scene,
  { box, item }: SceneBox,
  now: number,
): void {
  const { note, state, instanceType, hourlyUsd } = item.node;
  if (note?.until === undefined || !hasHeader(layout.level)) return;
  const remainingMs = note.until - now;
  const duration = formatDuration(Math.max(0, Math.ceil(remainingMs / 1000) * 1000));
  const typeWidth = fitter.width(instanceType, TYPE_FONT);
  const priceWidth = hourlyUsd === undefined ? 0 : fitter.width('$0.000', SMALL_FONT) + 8;
  const room = box.w - 25 - typeWidth - 8 - priceWidth;
  const text = [`${note.text} ${duration}`, duration].find((candidate) => fitter.width(candidate, NOTE_FONT) <= room);
  if (text === undefined) return;
  context.font = NOTE_FONT;
  context.textBaseline = 'middle';
  context.fillStyle = noteColor(palette, state);
  context.fillText(text, box.x + HEADER_LEFT + typeWidth + 8, box.y + HEADER_MIDDLE);
}
