import { totalOf } from '../../cost.ts';
import { formatMinute, formatUsd } from '../../format.ts';
import type { SeriesPoint } from '../../timeline-views.ts';
import type { EventView } from '../../views.ts';
import type { Palette } from '../map/painting/palette.ts';
import { paintRows } from './paint-spans.ts';
import { AXIS_PX, CURVE_PX, type TimelinePicture } from './picture.ts';
import { fillBelow, line, strokePath } from './strokes.ts';
import { listTicks, type TimeScale, toX } from './time-scale.ts';

/** Room for a label that begins near the end. */
const MARGIN_PX = 40;
const FONT = "11px 'Inter Variable'";

/** Draws the cost curve above the lives of the nodes, with one time axis. */
export function paintTimeline(ctx: CanvasRenderingContext2D, picture: TimelinePicture, palette: Palette): void {
  const { scale, height } = picture;
  ctx.font = FONT;
  ctx.textBaseline = 'middle';
  ctx.fillStyle = palette.panel;
  ctx.fillRect(0, 0, scale.endX + MARGIN_PX, height);
  paintAhead(ctx, picture, palette);
  paintAxis(ctx, picture, palette);
  paintCurve(ctx, picture, palette);
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, CURVE_PX, scale.endX + MARGIN_PX, height - CURVE_PX - AXIS_PX);
  ctx.clip();
  paintRows(ctx, picture, palette);
  ctx.restore();
  paintBudgets(ctx, picture, palette);
  paintPlayhead(ctx, picture, palette);
}

/** Time that has not come yet is pale. */
function paintAhead(ctx: CanvasRenderingContext2D, { scale, height, now }: TimelinePicture, palette: Palette): void {
  const x = toX(scale, now);
  if (x >= scale.endX) return;
  ctx.fillStyle = palette.ground;
  ctx.fillRect(x, 0, scale.endX - x, height - AXIS_PX);
  ctx.textAlign = 'left';
  ctx.fillStyle = palette.ink3;
  ctx.fillText('planned', x + 6, 8);
}

/** A dotted line where the disruption budgets of a NodePool change. */
function paintBudgets(
  ctx: CanvasRenderingContext2D,
  { scale, height, planned }: TimelinePicture,
  palette: Palette,
): void {
  for (const { kind, at } of planned) {
    if (kind !== 'budget' || at === undefined || at > scale.to) continue;
    const x = Math.round(toX(scale, at)) + 0.5;
    ctx.setLineDash([1, 3]);
    line(ctx, palette.warn, x, CURVE_PX / 2, height - AXIS_PX);
    ctx.setLineDash([]);
    ctx.textAlign = 'right';
    ctx.fillStyle = palette.ink2;
    ctx.fillText('budget', x - 4, CURVE_PX / 2);
  }
}

function paintAxis(ctx: CanvasRenderingContext2D, { scale, height, now }: TimelinePicture, palette: Palette): void {
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

/** The moment that the page shows, and the one that it is compared with, which is hollow. */
function paintPlayhead(
  ctx: CanvasRenderingContext2D,
  { scale, playhead, compared, height }: TimelinePicture,
  palette: Palette,
): void {
  for (const at of [compared, playhead]) {
    if (at === undefined || at < scale.from || at > scale.to) continue;
    const x = toX(scale, at);
    line(ctx, palette.accent, x, 0, height - AXIS_PX);
    ctx.fillStyle = at === playhead ? palette.accent : palette.panel;
    ctx.beginPath();
    ctx.arc(x, 6, 4, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  }
}

const TOP_PX = 14;
const PENDING_PX = 3;

/** Draws the cost per hour, the lower bound, pending pods on the axis, and a dot per action. */
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

interface Marked {
  readonly scale: TimeScale;
  readonly points: readonly SeriesPoint[];
  readonly marks: readonly EventView[];
  readonly y: (usd: number) => number;
}

function paintMarks(ctx: CanvasRenderingContext2D, { scale, points, marks, y }: Marked, palette: Palette): void {
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
