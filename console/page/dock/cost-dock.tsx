import 'uplot/dist/uPlot.min.css';
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { formatTime, formatUsd } from '../../format.ts';
import { cx } from '../class-names.ts';
import { usePalette } from '../map/painting/palette.ts';
import { useFonts, useSize } from '../map/use-renderer.ts';
import { usePage } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import type { CostPlot } from './cost-plot.ts';
import { costPlot } from './cost-plot.ts';
import type { CurveData } from './curve-data.ts';
import { curveData, curveWindow } from './curve-data.ts';
import { CurveTable } from './curve-table.tsx';
import styles from './dock.module.css';

/** In this time the curve of an hour moves by about a pixel. */
const CURVE_STEP_MS = 4_000;
/** The part of the curve at its right end that stands for now. */
const LIVE_SHARE = 0.01;

/** The cost of the last hour and its lower bound. */
export function CostDock() {
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const palette = usePalette();
  const series = usePage((state) => state.series);
  const isModelled = usePage(({ model }) => model?.info.source === 'playground');
  const { at, setAt } = useUi();
  const clusterNow = useClusterNow(500, CURVE_STEP_MS);
  // A point that has just come is shown at once. In the past the curve stays, and so does its end.
  const end = Math.max(clusterNow, series.points.at(-1)?.at ?? 0);
  const hasFonts = useFonts();
  const [plot, setPlot] = useState<CostPlot>();
  const [pointed, setPointed] = useState<number>();
  const data = useMemo(() => curveData(series.points, end), [series.points, end]);

  const window = useMemo(() => curveWindow(series.points, end), [series.points, end]);
  const playhead = at === undefined ? undefined : at / 1000;

  useEffect(() => {
    if (!frame.current || !palette || !hasFonts) return;
    const created = costPlot(frame.current, palette, setPointed);
    setPlot(created);
    return () => created.destroy();
  }, [palette, hasFonts]);
  useEffect(() => {
    if (size) plot?.resize(size.w, size.h);
  }, [plot, size]);
  useEffect(() => {
    if (data.at.length > 0) plot?.draw({ data, marks: series.marks, playhead }, window);
  }, [plot, data, series, playhead, window]);

  /** Dragging chooses the moment that the page shows; the right end is now. */
  const scrub = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    if (!plot) return;
    const x = clientX - currentTarget.getBoundingClientRect().left;
    const [first, last] = window;
    const moment = Math.max(first, plot.timeAt(x));
    setAt(moment >= last - (last - first) * LIVE_SHARE ? undefined : Math.round(moment * 1000));
  };

  return (
    <section className={cx(styles.dock)} data-testid="cost-curve" aria-label="Cost per hour">
      <div className={cx(styles.head)}>
        <h2>Cost per hour</h2>
        <ul className={cx(styles.legend)} aria-label="Legend of the curve">
          <li data-part="spot">{isModelled ? 'spot (modelled prices)' : 'spot'}</li>
          <li data-part="on-demand">on-demand</li>
          <li data-part="bound">lower bound</li>
          <li data-part="pending">pods pending</li>
        </ul>
        <p className={cx(styles.value)}>{valueText(data, pointed)}</p>
      </div>
      <div
        className={cx(styles.frame)}
        ref={frame}
        aria-hidden="true"
        data-testid="cost-strip"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          scrub(event);
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) scrub(event);
        }}
      />
      <CurveTable points={series.points} />
    </section>
  );
}

/** The values at the pointer, else the newest. */
function valueText({ at, total, bound, pending }: CurveData, pointed: number | undefined): string {
  const index = pointed ?? at.length - 1;
  const [moment, cost] = [at[index], total[index]];
  if (moment === undefined || cost === undefined) return '';
  const lowerBound = bound[index];
  const parts = [
    `${pointed === undefined ? 'now' : formatTime(moment * 1000)} ${formatUsd(cost)}`,
    ...(typeof lowerBound === 'number' ? [`bound ${formatUsd(lowerBound)}`] : []),
    ...((pending[index] ?? 0) > 0 ? [`${pending[index]} pending`] : []),
  ];
  return parts.join(' · ');
}
