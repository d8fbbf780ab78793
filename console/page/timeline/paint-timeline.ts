import { totalOf } from '../../cost.ts';
import { formatMinute, formatUsd } from '../../format.ts';
import type { EventView, NodeSpan, SeriesPoint } from '../../views.ts';
import type { Palette } from '../map/painting/palette.ts';
import { countSteps, type Gantt, type GanttRow } from './rows.ts';
import { listTicks, type TimeScale, toX } from './time-scale.ts';

export const CURVE_PX = 150;
export const AXIS_PX = 22;

export interface TimelinePicture {
  readonly scale: TimeScale;
  readonly height: number;
  readonly points: readonly SeriesPoint[];
  readonly marks: readonly EventView[];
  readonly gantt: Gantt;
  /** Pixels by which the rows are scrolled. */
  readonly scroll: number;
  readonly now: number;
  readonly playhead: number | undefined;
  readonly selected: string | undefined;
}

const FONT = "11px 'Inter Variable'";

/** Draws the cost curve above the lives of the nodes, with one time axis. */
export function paintTimeline(
  ctx: CanvasRenderingContext2D,
  picture: TimelinePicture,
  palette: Palette,
): void {
  const { scale, height } = picture;
  ctx.font = FONT;
  ctx.textBaseline = 'middle';
  ctx.fillStyle = palette.panel;
  ctx.fillRect(0, 0, scale.endX + 40, height);
  paintAxis(ctx, picture, palette);
  paintCurve(ctx, picture, palette);
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, CURVE_PX, scale.endX + 40, height - CURVE_PX - AXIS_PX);
  ctx.clip();
  paintRows(ctx, picture, palette);
  ctx.restore();
  paintPlayhead(ctx, picture, palette);
}

function paintAxis(
  ctx: CanvasRenderingContext2D,
  { scale, height, now }: TimelinePicture,
  palette: Palette,
): void {
  ctx.textAlign = 'center';
  for (const at of listTicks(scale)) {
    const x = Math.round(toX(scale, at)) + 0.5;
    line(ctx, palette.line, x, 0, height - AXIS_PX);
    ctx.fillStyle = palette.ink3;
    ctx.fillText(formatMinute(at), x, height - AXIS_PX / 2);
  }
  const x = toX(scale, now);
  if (x > scale.endX) return;
  ctx.setLineDash([2, 3]);
  line(ctx, palette.ink3, x, 0, height - AXIS_PX);
  ctx.setLineDash([]);
}

function line(
  ctx: CanvasRenderingContext2D,
  color: string,
  x: number,
  from: number,
  to: number,
): void {
  ctx.strokeStyle = color;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(x, from);
  ctx.lineTo(x, to);
  ctx.stroke();
}

const TOP_PX = 14;
const PENDING_PX = 3;

function paintCurve(
  ctx: CanvasRenderingContext2D,
  { scale, points, marks, now }: TimelinePicture,
  palette: Palette,
): void {
  const bottom = CURVE_PX - 8;
  const maximum = Math.max(0.1, ...points.map(({ hourlyUsd }) => totalOf(hourlyUsd))) * 1.1;
  const y = (usd: number): number => bottom - (usd / maximum) * (bottom - TOP_PX);
  const end = Math.min(now, scale.to);
  const steps = (usdOf: (point: SeriesPoint) => number | undefined): [number, number][] =>
    points.flatMap((point, index): [number, number][] => {
      const value = usdOf(point);
      if (value === undefined) return [];
      const until = points[index + 1]?.at ?? end;
      return [
        [toX(scale, point.at), y(value)],
        [toX(scale, until), y(value)],
      ];
    });
  const areas: readonly [string, (point: SeriesPoint) => number][] = [
    [palette.spot, ({ hourlyUsd }) => totalOf(hourlyUsd)],
    [palette.reserved, ({ hourlyUsd }) => hourlyUsd['on-demand'] + hourlyUsd.reserved],
    [palette.onDemand, ({ hourlyUsd }) => hourlyUsd['on-demand']],
  ];
  for (const [color, usdOf] of areas) {
    fillBelow(ctx, steps(usdOf), bottom, { color: palette.panel, alpha: 1 });
    fillBelow(ctx, steps(usdOf), bottom, { color, alpha: 0.2 });
  }
  strokePath(
    ctx,
    steps(({ hourlyUsd }) => totalOf(hourlyUsd)),
    palette.ink1,
    1.5,
  );
  ctx.setLineDash([5, 3]);
  strokePath(
    ctx,
    steps(({ boundHourlyUsd }) => boundHourlyUsd),
    palette.warn,
    1.25,
  );
  ctx.setLineDash([]);
  ctx.textAlign = 'right';
  ctx.fillStyle = palette.ink3;
  for (const share of [0, 0.5, 1]) {
    ctx.fillText(formatUsd((maximum / 1.1) * share), scale.startX - 8, y((maximum / 1.1) * share));
  }
  ctx.fillStyle = palette.warn;
  for (const [index, { at, pendingPods }] of points.entries()) {
    if (pendingPods === 0) continue;
    const x = toX(scale, at);
    const until = toX(scale, points[index + 1]?.at ?? end);
    ctx.fillRect(x, bottom + 2, Math.max(2, until - x), PENDING_PX);
  }
  paintMarks(ctx, { scale, points, marks, y }, palette);
}

function fillBelow(
  ctx: CanvasRenderingContext2D,
  path: readonly (readonly [number, number])[],
  bottom: number,
  { color, alpha }: { readonly color: string; readonly alpha: number },
): void {
  const [first] = path;
  const last = path.at(-1);
  if (!first || !last) return;
  ctx.globalAlpha = alpha;
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.moveTo(first[0], bottom);
  for (const [x, y] of path) ctx.lineTo(x, y);
  ctx.lineTo(last[0], bottom);
  ctx.fill();
  ctx.globalAlpha = 1;
}

function strokePath(
  ctx: CanvasRenderingContext2D,
  path: readonly (readonly [number, number])[],
  color: string,
  width: number,
): void {
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.beginPath();
  for (const [index, [x, y]] of path.entries()) {
    if (index === 0) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  }
  ctx.stroke();
}

interface Marked {
  readonly scale: TimeScale;
  readonly points: readonly SeriesPoint[];
  readonly marks: readonly EventView[];
  readonly y: (usd: number) => number;
}

function paintMarks(
  ctx: CanvasRenderingContext2D,
  { scale, points, marks, y }: Marked,
  palette: Palette,
): void {
  ctx.lineWidth = 1.5;
  for (const { at, tone } of marks) {
    const point = points.findLast((candidate) => candidate.at <= at);
    if (!point) continue;
    ctx.beginPath();
    ctx.arc(toX(scale, at), y(totalOf(point.hourlyUsd)), 3, 0, 2 * Math.PI);
    ctx.fillStyle = tone === 'you' ? palette.accent : palette.panel;
    ctx.strokeStyle = tone === 'warn' ? palette.warn : palette.ink2;
    ctx.fill();
    ctx.stroke();
  }
}

function paintRows(
  ctx: CanvasRenderingContext2D,
  picture: TimelinePicture,
  palette: Palette,
): void {
  const { gantt, scroll, height } = picture;
  for (const { row, y, h } of gantt.rows) {
    const top = CURVE_PX + y - scroll;
    if (top + h < CURVE_PX || top > height) continue;
    paintRow(ctx, row, { top, h, picture, palette });
  }
}

interface RowPlace {
  readonly top: number;
  readonly h: number;
  readonly picture: TimelinePicture;
  readonly palette: Palette;
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
  }
}

function paintSpan(
  ctx: CanvasRenderingContext2D,
  span: NodeSpan,
  { top, h, picture, palette, isSelected }: RowPlace & { readonly isSelected: boolean },
): void {
  const { scale, now } = picture;
  const end = span.goneAt ?? now;
  const [x0, x1] = [
    toX(scale, Math.max(span.bornAt, scale.from)),
    toX(scale, Math.min(end, scale.to)),
  ];
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

function paintPlayhead(
  ctx: CanvasRenderingContext2D,
  { scale, playhead, height }: TimelinePicture,
  palette: Palette,
): void {
  if (playhead === undefined || playhead < scale.from || playhead > scale.to) return;
  const x = toX(scale, playhead);
  line(ctx, palette.accent, x, 0, height - AXIS_PX);
  ctx.fillStyle = palette.accent;
  ctx.beginPath();
  ctx.arc(x, 6, 4, 0, 2 * Math.PI);
  ctx.fill();
}
