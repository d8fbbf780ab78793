import { totalOf } from '../../cost.ts';
import { formatUsd } from '../../format.ts';
import type { SeriesPoint } from '../../timeline-views.ts';
import type { EventView } from '../../views.ts';
import type { Palette } from '../map/painting/palette.ts';
import { CURVE_PX, type TimelinePicture } from './picture.ts';
import { fillBelow, strokePath } from './strokes.ts';
import { type TimeScale, toX } from './time-scale.ts';

const TOP_PX = 14;
const PENDING_PX = 3;

/** Draws the cost per hour, the lower bound, pending pods on the axis, and a dot per action. */
export function paintCurve(
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
