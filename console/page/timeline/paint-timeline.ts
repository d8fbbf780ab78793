import { formatMinute } from '../../format.ts';
import type { Palette } from '../map/painting/palette.ts';
import { paintCurve } from './paint-curve.ts';
import { paintRows } from './paint-spans.ts';
import { AXIS_PX, CURVE_PX, type TimelinePicture } from './picture.ts';
import { line } from './strokes.ts';
import { listTicks, toX } from './time-scale.ts';

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
