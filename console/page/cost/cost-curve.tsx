import 'uplot/dist/uPlot.min.css';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { formatMinute, formatUsd } from '../../format.ts';
import type { CostGrouping, CostHistoryView } from '../../screen-views.ts';
import { cx, VISUALLY_HIDDEN } from '../class-names.ts';
import { Segmented } from '../controls/segmented.tsx';
import { type Palette, usePalette } from '../map/painting/palette.ts';
import { useFonts, useSize } from '../map/use-renderer.ts';
import { getCostHistory } from '../store/api.ts';
import { usePage } from '../store/use-page.ts';
import { usePolled } from '../ui/use-polled.ts';
import styles from './cost.module.css';
import { type GroupPlot, groupPlot } from './group-plot.ts';
import { type GroupTile, listTiles } from './group-tiles.ts';

const WINDOWS = [
  { value: '60', text: '1 h', ms: HOUR_MS },
  { value: '180', text: '3 h', ms: 3 * HOUR_MS },
  { value: '1440', text: '1 day', ms: DAY_MS },
] as const;
type WindowChoice = (typeof WINDOWS)[number]['value'];

const NO_NAMES: readonly string[] = [];

/** The cost over time, stacked by the groups of the table. */
export function CostCurve({ by }: { readonly by: CostGrouping }) {
  const [choice, setChoice] = useState<WindowChoice>('60');
  const windowMs = WINDOWS.find(({ value }) => value === choice)?.ms ?? HOUR_MS;
  const history = usePolled(useCallback(() => getCostHistory(by, windowMs), [by, windowMs]));
  const namespaces = usePage(({ model }) => model?.namespaces ?? NO_NAMES);
  const names = history?.names ?? NO_NAMES;
  const tiles = useMemo(() => listTiles(names, by, namespaces), [names, by, namespaces]);
  return (
    <section className={cx(styles.curve)} aria-label="Cost over time" data-testid="cost-history">
      <div className={cx(styles.curveHead)}>
        <Legend tiles={tiles} history={history} />
        <Segmented label="Window" options={WINDOWS} value={choice} onChange={setChoice} />
      </div>
      <Plot history={history} tiles={tiles} windowMs={windowMs} />
      {history && <HistoryTable history={history} />}
    </section>
  );
}

interface LegendProps {
  readonly tiles: readonly GroupTile[];
  readonly history: CostHistoryView | undefined;
}

/** The groups with their newest cost, in the order of the table. */
function Legend({ tiles, history }: LegendProps) {
  const newest = history?.points.at(-1)?.hourlyUsd ?? [];
  return (
    <ul className={cx(styles.legend)} aria-label="Groups by colour">
      {tiles.map(({ name, tile }, index) => (
        <li key={name}>
          <i className={cx(styles.tile)} data-fill={tile} aria-hidden="true" />
          {name} <span>{formatUsd(newest[index] ?? 0)}</span>
        </li>
      ))}
      <li>
        <i className={cx(styles.boundLine)} aria-hidden="true" />
        lower bound
      </li>
    </ul>
  );
}

interface PlotProps extends LegendProps {
  readonly windowMs: number;
}

function Plot({ history, tiles, windowMs }: PlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const palette = usePalette();
  const hasFonts = useFonts();
  const now = usePage(({ clock }) => clock?.now ?? 0);
  const [plot, setPlot] = useState<GroupPlot>();
  const fills = tiles.map(({ tile }) => tile).join(' ');

  useEffect(() => {
    if (!frame.current || !palette || !hasFonts || fills === '') return;
    const colors = fills.split(' ').map((tile) => colorOf(tile, palette));
    const created = groupPlot(frame.current, palette, colors);
    setPlot(created);
    return () => {
      setPlot(undefined);
      created.destroy();
    };
  }, [palette, hasFonts, fills]);
  useEffect(() => {
    if (size) plot?.resize(size.w, size.h);
  }, [plot, size]);
  useEffect(() => {
    const first = history?.points[0]?.at;
    if (!plot || !history || first === undefined) return;
    const shownMs = Math.min(windowMs, Math.max(MIN_WINDOW_MS, now - first));
    plot.draw(history, [(now - shownMs) / 1000, now / 1000]);
  }, [plot, history, now, windowMs]);

  return <div className={cx(styles.plot)} ref={frame} aria-hidden="true" />;
}

const MIN_WINDOW_MS = 10 * MINUTE_MS;

/** Tiles are numbered as on the map; capacity types have colours of their own. */
function colorOf(tile: string, palette: Palette): string {
  switch (tile) {
    case 'spot':
      return pale(palette.spot, palette);
    case 'on-demand':
      return pale(palette.onDemand, palette);
    case 'reserved':
      return pale(palette.reserved, palette);
    case 'free':
      return palette.track;
    default:
      return palette.tiles[Number(tile) - 1] ?? palette.otherTile;
  }
}

/** The line of the lower bound stays visible on it. */
const pale = (color: string, { panel }: Palette): string => `color-mix(in srgb, ${color} 35%, ${panel})`;

const ROWS = 12;

/** The curve as a table of at most twelve points in time, for screen readers. */
function HistoryTable({ history: { names, points } }: { readonly history: CostHistoryView }) {
  const every = Math.max(1, Math.ceil(points.length / ROWS));
  return (
    <div className={VISUALLY_HIDDEN}>
      <table>
        <caption>Cost per hour over time</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {names.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points
            .filter((_, index) => index % every === 0)
            .map(({ at, hourlyUsd }) => (
              <tr key={at}>
                <th scope="row">{formatMinute(at)}</th>
                {names.map((name, index) => (
                  <td key={name}>{formatUsd(hourlyUsd[index] ?? 0)}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
