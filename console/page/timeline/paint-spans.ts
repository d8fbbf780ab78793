import type { NodeSpan, PlannedStep } from '../../timeline-views.ts';
import type { Palette } from '../map/painting/palette.ts';
import { CURVE_PX, type TimelinePicture } from './picture.ts';
import { countSteps, type GanttRow } from './rows.ts';
import { fillBelow, line, strokePath } from './strokes.ts';
import { toX } from './time-scale.ts';

/** Draws the lives of the nodes by NodePool. */
export function paintRows(ctx: CanvasRenderingContext2D, picture: TimelinePicture, palette: Palette): void {
  const { gantt, scroll, height, planned } = picture;
  const stepByNode = firstSteps(planned);
  for (const { row, y, h } of gantt.rows) {
    const top = CURVE_PX + y - scroll;
    if (top + h < CURVE_PX || top > height) continue;
    paintRow(ctx, row, { top, h, picture, palette, stepByNode });
  }
}

function firstSteps(planned: readonly PlannedStep[]): ReadonlyMap<string, PlannedStep> {
  const steps = new Map<string, PlannedStep>();
  for (const step of planned) {
    if (step.node !== undefined && !steps.has(step.node)) steps.set(step.node, step);
  }
  return steps;
}

interface RowPlace {
  readonly top: number;
  readonly h: number;
  readonly picture: TimelinePicture;
  readonly palette: Palette;
  /** The first planned step of each node. */
  readonly stepByNode: ReadonlyMap<string, PlannedStep>;
}

function paintRow(ctx: CanvasRenderingContext2D, row: GanttRow, target: RowPlace): void {
  const { top, h, picture, palette } = target;
  switch (row.kind) {
    case 'pool':
      ctx.textAlign = 'left';
      ctx.fillStyle = palette.ink1;
      ctx.fillText(`${row.name} · ${row.count} now`, 14, top + h / 2);
      return;
    case 'counts':
      paintCounts(ctx, row.spans, target);
      return;
    case 'node':
      paintSpan(ctx, row.span, { ...target, isSelected: row.span.name === picture.selected });
      paintStep(ctx, row.span, target);
  }
}

function paintSpan(
  ctx: CanvasRenderingContext2D,
  span: NodeSpan,
  { top, h, picture, palette, isSelected }: RowPlace & { readonly isSelected: boolean },
): void {
  const { scale, now } = picture;
  const end = span.goneAt ?? now;
  const [x0, x1] = [toX(scale, Math.max(span.bornAt, scale.from)), toX(scale, Math.min(end, scale.to))];
  const readyX = Math.min(x1, Math.max(x0, toX(scale, span.readyAt ?? end)));
  const color = colorOf(span, palette);
  const [y, bar] = h > 5 ? [top + 3, h - 5] : [top, h - 1];
  ctx.fillStyle = color;
  ctx.globalAlpha = span.goneAt === undefined ? 0.85 : 0.4;
  ctx.fillRect(readyX, y, Math.max(1, x1 - readyX), bar);
  ctx.globalAlpha = 1;
  // A hollow head while it starts.
  if (h > 5 && readyX - x0 > 1) {
    ctx.strokeStyle = color;
    ctx.lineWidth = 1;
    ctx.strokeRect(x0 + 0.5, y + 0.5, Math.max(1, readyX - x0 - 1), bar - 1);
  }
  if (isSelected) {
    ctx.strokeStyle = palette.accent;
    ctx.lineWidth = 2;
    ctx.strokeRect(x0 - 1, y - 1, x1 - x0 + 2, bar + 2);
  }
  if (h <= 5) return;
  ctx.textAlign = 'right';
  ctx.fillStyle = isSelected ? palette.accent : palette.ink2;
  ctx.fillText(shortName(span), scale.startX - 8, top + h / 2 + 0.5);
  if (span.goneAt === undefined || span.goneAt > scale.to) return;
  line(ctx, palette.ink2, x1 + 0.5, y - 1, y + bar + 1);
  ctx.textAlign = 'left';
  ctx.fillStyle = palette.ink3;
  ctx.fillText(span.why ?? 'gone', x1 + 5, top + h / 2 + 0.5);
}

const STEP_WORDS: Readonly<Record<PlannedStep['kind'], string>> = {
  ...{ ready: 'ready', goes: 'goes', expires: 'expires', budget: 'budget' },
};

/** The pale rest of a node's life, until the next thing that is known about it. */
function paintStep(
  ctx: CanvasRenderingContext2D,
  span: NodeSpan,
  { top, h, picture: { scale, now }, palette, stepByNode }: RowPlace,
): void {
  const step = stepByNode.get(span.name);
  if (!step || span.goneAt !== undefined) return;
  const start = toX(scale, now);
  const isShort = step.at === undefined || step.at > scale.to;
  if (isShort && step.kind === 'expires') return;
  const end = isShort ? start + UNKNOWN_PX : toX(scale, step.at ?? now);
  const [y, bar] = h > 5 ? [top + 3, h - 5] : [top, h - 1];
  ctx.globalAlpha = 0.3;
  ctx.fillStyle = colorOf(span, palette);
  ctx.fillRect(start, y, Math.max(2, end - start), bar);
  ctx.globalAlpha = 1;
  if (h <= 5) return;
  if (!isShort) line(ctx, palette.ink2, end + 0.5, y - 1, y + bar + 1);
  ctx.textAlign = 'left';
  ctx.fillStyle = palette.ink3;
  ctx.fillText(STEP_WORDS[step.kind], end + 4, top + h / 2 + 0.5);
}

/** The length of a step whose time is unknown or out of sight. */
const UNKNOWN_PX = 8;

const MAX_NAME = 17;

/** `general-x7f2k` is `x7f2k` under its pool's heading. */
function shortName({ name, pool }: NodeSpan): string {
  const short = pool !== '' && name.startsWith(`${pool}-`) ? name.slice(pool.length + 1) : name;
  return short.length > MAX_NAME ? `${short.slice(0, MAX_NAME - 1)}…` : short;
}

function colorOf({ capacityType }: NodeSpan, palette: Palette): string {
  if (capacityType === 'spot') return palette.spot;
  return capacityType === 'reserved' ? palette.reserved : palette.onDemand;
}

function paintCounts(
  ctx: CanvasRenderingContext2D,
  spans: readonly NodeSpan[],
  { top, h, picture: { scale, now }, palette }: RowPlace,
): void {
  const steps = countSteps(spans);
  const maximum = Math.max(1, ...steps.map(({ count }) => count));
  const y = (count: number): number => top + h - 4 - (count / maximum) * (h - 8);
  const path = steps.flatMap(({ at, count }, index): [number, number][] => {
    const until = steps[index + 1]?.at ?? now;
    if (until < scale.from) return [];
    return [
      [Math.max(scale.startX, toX(scale, at)), y(count)],
      [toX(scale, Math.min(until, scale.to)), y(count)],
    ];
  });
  fillBelow(ctx, path, top + h - 4, { color: palette.onDemand, alpha: 0.25 });
  strokePath(ctx, path, palette.ink1, 1);
  ctx.textAlign = 'right';
  ctx.fillStyle = palette.ink3;
  ctx.fillText(String(maximum), scale.startX - 8, top + 8);
}
