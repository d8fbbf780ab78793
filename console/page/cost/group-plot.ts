import uPlot from 'uplot';
import type { CostHistoryView } from '../../screen-views.ts';
import { plotOptions } from '../dock/plot-parts.ts';
import type { Palette } from '../map/painting/palette.ts';

export interface GroupPlot {
  draw(history: CostHistoryView, window: readonly [number, number]): void;
  resize(width: number, height: number): void;
  destroy(): void;
}

/** Areas of the groups, stacked, the first one at the bottom, and the dashed lower bound. */
export function groupPlot(element: HTMLElement, palette: Palette, colors: readonly string[]): GroupPlot {
  const { stepped } = uPlot.paths;
  const steps = stepped ? { paths: stepped({ align: 1 }) } : {};
  const points = { show: false };
  const options: uPlot.Options = {
    ...plotOptions(element, palette),
    cursor: { show: false },
    // The top of the stack is drawn first: each lower area covers the part below it.
    series: [
      {},
      ...colors.toReversed().map((fill) => ({
        ...steps,
        ...{ points, fill, stroke: palette.panel, width: 1 },
      })),
      { ...steps, points, stroke: palette.warn, width: 1.25, dash: [5, 3], spanGaps: true },
    ],
  };
  const plot = new uPlot(options, undefined, element);

  return {
    draw(history, [min, max]) {
      plot.batch(() => {
        plot.setData(stackedColumns(history, max), false);
        plot.setScale('x', { min, max });
      });
    },
    resize: (width, height) => plot.setSize({ width, height }),
    destroy: () => plot.destroy(),
  };
}

/** Columns in uPlot's format, times in seconds; the last point holds until `end`. */
function stackedColumns({ names, points }: CostHistoryView, end: number): uPlot.AlignedData {
  const last = points.at(-1);
  const held = last && last.at / 1000 < end ? [...points, { ...last, at: end * 1000 }] : points;
  const heightOf = (costs: readonly number[], index: number) =>
    costs.slice(0, index + 1).reduce((sum, usd) => sum + usd, 0);
  const areas = names.map((_, index) => held.map(({ hourlyUsd }) => heightOf(hourlyUsd, index))).toReversed();
  const bound = held.map(({ boundHourlyUsd }) => boundHourlyUsd ?? null);
  return [held.map(({ at }) => at / 1000), ...areas, bound];
}
