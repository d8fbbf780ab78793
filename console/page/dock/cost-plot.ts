import uPlot from 'uplot';
import type { EventView } from '../../views.ts';
import type { Palette } from '../map/painting/palette.ts';
import type { CurveData } from './curve-data.ts';
import { pendingStretches, totalAt } from './curve-data.ts';
import { plotOptions, wash } from './plot-parts.ts';

export interface ShownCurve {
  readonly data: CurveData;
  readonly marks: readonly EventView[];
  /** The moment of the past that the page shows, in seconds; undefined while it is live. */
  readonly playhead: number | undefined;
}

export interface CostPlot {
  draw(curve: ShownCurve, window: readonly [number, number]): void;
  resize(width: number, height: number): void;
  /** The time at a distance from the left edge of the plot's element, in seconds. */
  timeAt(x: number): number;
  destroy(): void;
}

/** Index of the point under the pointer; undefined if the pointer is elsewhere. */
export type OnPoint = (index: number | undefined) => void;

/** Draws the curve: stacked steps, the dashed bound, waiting pods on the axis, a dot per action. */
export function costPlot(element: HTMLElement, palette: Palette, onPoint: OnPoint): CostPlot {
  let shown: ShownCurve | undefined;

  const options: uPlot.Options = {
    ...plotOptions(element, palette),
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    series: seriesOf(palette),
    bands: [
      { series: [3, 2], fill: wash(palette.spot) },
      { series: [2, 1], fill: wash(palette.reserved) },
    ],
    hooks: {
      draw: [
        (plot) => {
          if (!shown) return;
          paintPending(plot, shown.data, palette);
          paintMarks(plot, shown.data, shown.marks, palette);
          paintPlayhead(plot, shown.playhead, palette);
        },
      ],
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)],
    },
  };
  const plot = new uPlot(options, undefined, element);

  return {
    draw(curve, [min, max]) {
      shown = curve;
      const { data } = curve;
      const columns = [data.at, data.onDemand, data.reserved, data.total, data.bound];
      plot.batch(() => {
        plot.setData(columns.map((column) => [...column]) as unknown as uPlot.AlignedData, false);
        plot.setScale('x', { min, max });
      });
    },
    timeAt: (x) => plot.posToVal(x - plot.bbox.left / devicePixelRatio, 'x'),
    resize: (width, height) => plot.setSize({ width, height }),
    destroy: () => plot.destroy(),
  };
}

function seriesOf(palette: Palette): uPlot.Series[] {
  const { stepped } = uPlot.paths;
  const steps = stepped ? { paths: stepped({ align: 1 }) } : {};
  const points = { show: false };
  return [
    {},
    { ...steps, points, stroke: palette.onDemand, width: 0, fill: wash(palette.onDemand) },
    { ...steps, points, stroke: palette.reserved, width: 0 },
    { ...steps, points, stroke: palette.ink1, width: 1.5 },
    { ...steps, points, stroke: palette.warn, width: 1.25, dash: [5, 3], spanGaps: true },
  ];
}

/** Bars on the axis for times with pending pods. */
function paintPending(plot: uPlot, data: CurveData, palette: Palette): void {
  const { ctx, bbox } = plot;
  const thickness = 3 * devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = palette.warn;
  for (const [from, to] of pendingStretches(data)) {
    const startX = plot.valToPos(from, 'x', true);
    const width = Math.max(2, plot.valToPos(to, 'x', true) - startX);
    ctx.fillRect(startX, bbox.top + bbox.height - thickness, width, thickness);
  }
  ctx.restore();
}

/** A ring on the curve for each decision, filled for a user's action. */
function paintMarks(plot: uPlot, data: CurveData, marks: readonly EventView[], palette: Palette): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.setLineDash([]);
  ctx.lineWidth = 1.5 * devicePixelRatio;
  for (const { at, tone } of marks) {
    const x = plot.valToPos(at / 1000, 'x', true);
    const total = totalAt(data, at / 1000);
    if (total === undefined || x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.arc(x, plot.valToPos(total, 'y', true), 3 * devicePixelRatio, 0, 2 * Math.PI);
    ctx.fillStyle = tone === 'you' ? palette.accent : palette.panel;
    ctx.fill();
    ctx.strokeStyle = tone === 'warn' ? palette.warn : tone === 'you' ? palette.accent : palette.ink2;
    ctx.stroke();
  }
  ctx.restore();
}

/** A line at the moment of the past that the page shows. */
function paintPlayhead(plot: uPlot, playhead: number | undefined, palette: Palette): void {
  if (playhead === undefined) return;
  const { ctx, bbox } = plot;
  const x = plot.valToPos(playhead, 'x', true);
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  ctx.save();
  ctx.setLineDash([]);
  ctx.strokeStyle = palette.accent;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
