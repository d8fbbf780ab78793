import uPlot from 'uplot';
import { formatMinute } from '../../format.ts';
import type { EventView } from '../../views.ts';
import type { Palette } from '../map/painting/palette.ts';
import type { CurveData } from './curve-data.ts';
import { pendingStretches, totalAt } from './curve-data.ts';

export interface CostPlot {
  draw(data: CurveData, marks: readonly EventView[], window: readonly [number, number]): void;
  resize(width: number, height: number): void;
  destroy(): void;
}

/** Index of the point under the pointer; undefined if the pointer is elsewhere. */
export type OnPoint = (index: number | undefined) => void;

const FONT = "11px 'Inter Variable'";

/** Draws the curve: stacked steps, the dashed bound, waiting pods on the axis, a dot per action. */
export function costPlot(element: HTMLElement, palette: Palette, onPoint: OnPoint): CostPlot {
  let shown: { readonly data: CurveData; readonly marks: readonly EventView[] } | undefined;

  const options: uPlot.Options = {
    width: Math.max(1, element.clientWidth),
    height: Math.max(1, element.clientHeight),
    padding: [6, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: true, auto: false },
      y: { range: (_, __, highest) => [0, roundUpAxis(highest)] },
    },
    axes: [axisX(palette), axisY(palette)],
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
        },
      ],
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)],
    },
  };
  const plot = new uPlot(options, undefined, element);

  return {
    draw(data, marks, [min, max]) {
      shown = { data, marks };
      const columns = [data.at, data.onDemand, data.reserved, data.total, data.bound];
      plot.batch(() => {
        plot.setData(columns.map((column) => [...column]) as unknown as uPlot.AlignedData, false);
        plot.setScale('x', { min, max });
      });
    },
    resize: (width, height) => plot.setSize({ width, height }),
    destroy: () => plot.destroy(),
  };
}

/** Rounds the axis up in steps, so that it does not move with every cent. */
function roundUpAxis(highest: number | null): number {
  const minTop = Math.max(0.1, (highest ?? 0) * 1.12);
  const step = 10 ** Math.floor(Math.log10(minTop)) / 4;
  return Math.ceil(minTop / step) * step;
}

const wash = (color: string): string => `color-mix(in srgb, ${color} 16%, transparent)`;

const axisX = (palette: Palette): uPlot.Axis => ({
  stroke: palette.ink3,
  font: FONT,
  size: 22,
  gap: 4,
  grid: { show: false },
  ticks: { show: false },
  values: (_, seconds) => seconds.map((second) => formatMinute(second * 1000)),
});

const axisY = (palette: Palette): uPlot.Axis => ({
  stroke: palette.ink3,
  font: FONT,
  size: 46,
  gap: 6,
  space: 28,
  grid: { stroke: palette.line, width: 1 },
  ticks: { show: false },
  values: (_, amounts) =>
    amounts.map((amount) => `$${amount < 10 ? amount.toFixed(2) : amount.toFixed(0)}`),
});

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
function paintMarks(
  plot: uPlot,
  data: CurveData,
  marks: readonly EventView[],
  palette: Palette,
): void {
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
    ctx.strokeStyle =
      tone === 'warn' ? palette.warn : tone === 'you' ? palette.accent : palette.ink2;
    ctx.stroke();
  }
  ctx.restore();
}
