import type uPlot from 'uplot';
import { formatMinute } from '../../format.ts';
import type { Palette } from '../map/painting/palette.ts';

const FONT = "11px 'Inter Variable'";

/** Rounds the axis up in steps, so that it does not move with every cent. */
function roundUpAxis(highest: number | null): number {
  const minTop = Math.max(0.1, (highest ?? 0) * 1.12);
  const step = 10 ** Math.floor(Math.log10(minTop)) / 4;
  return Math.ceil(minTop / step) * step;
}

/** A pale fill below a line of this colour. */
export const wash = (color: string): string => `color-mix(in srgb, ${color} 16%, transparent)`;

/** Distances of times on the axis, in seconds; whole minutes, because it shows no seconds. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * 3600),
];

/** The options that all plots over time have. */
export const plotOptions = (
  { clientWidth, clientHeight }: Pick<HTMLElement, 'clientWidth' | 'clientHeight'>,
  palette: Palette,
): Omit<uPlot.Options, 'series'> => ({
  width: Math.max(1, clientWidth),
  height: Math.max(1, clientHeight),
  padding: [6, 18, 0, 0],
  legend: { show: false },
  scales: {
    x: { time: true, auto: false },
    y: { range: (_, __, highest) => [0, roundUpAxis(highest)] },
  },
  axes: [axisX(palette), axisY(palette)],
});

/** Times of day. */
const axisX = (palette: Palette): uPlot.Axis => ({
  stroke: palette.ink3,
  font: FONT,
  size: 22,
  gap: 4,
  grid: { show: false },
  ticks: { show: false },
  incrs: TIME_STEPS,
  values: (_, seconds) => seconds.map((second) => formatMinute(second * 1000)),
});

/** Dollars. */
const axisY = (palette: Palette): uPlot.Axis => ({
  stroke: palette.ink3,
  font: FONT,
  size: 46,
  gap: 6,
  space: 28,
  grid: { stroke: palette.line, width: 1 },
  ticks: { show: false },
  values: (_, amounts) => amounts.map((amount) => `$${amount < 10 ? amount.toFixed(2) : amount.toFixed(0)}`),
});
