import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { formatTime } from '../../format.ts';
import type { TimelineView } from '../../timeline-views.ts';
import { cx } from '../class-names.ts';
import { usePalette } from '../map/painting/palette.ts';
import { useSize } from '../map/use-renderer.ts';
import { useUi } from '../ui/ui-context.ts';
import { markReady } from '../ui/use-ready.ts';
import { paintTimeline } from './paint-timeline.ts';
import { AXIS_PX, CURVE_PX } from './picture.ts';
import { findRow, layoutGantt } from './rows.ts';
import { type TimeScale, toTime } from './time-scale.ts';
import styles from './timeline.module.css';

const LEFT_PX = 128;
const RIGHT_PX = 16;
/** An arrow key moves the playhead by this share of the window. */
const STEP_SHARE = 0.01;
/** The part of the window that follows now. */
const AHEAD_SHARE = 0.18;

interface Props {
  readonly view: TimelineView;
  /** The moment that the page shows; undefined for now. */
  readonly at: number | undefined;
  readonly onScrub: (at: number) => void;
}

/** The curve and the Gantt chart; dragging or the arrow keys move the playhead. */
export function TimelineCanvas({ view, at, onScrub }: Props) {
  const { selected, select, compare } = useUi();
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(frame);
  const palette = usePalette();
  const [scroll, setScroll] = useState(0);
  const gantt = useMemo(() => layoutGantt(view.nodes), [view.nodes]);
  const scale = useMemo(
    (): TimeScale => ({
      from: view.from,
      to: view.to + AHEAD_SHARE * (view.to - view.from),
      startX: LEFT_PX,
      endX: Math.max(LEFT_PX + 1, (size?.w ?? 0) - RIGHT_PX),
    }),
    [view.from, view.to, size],
  );
  const maxScroll = Math.max(0, gantt.height - ((size?.h ?? 0) - CURVE_PX - AXIS_PX));
  const top = Math.min(scroll, maxScroll);
  const selectedNode = selected?.kind === 'node' ? selected.name : undefined;

  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context || !palette || !size) return;
    canvas.current.width = size.w * devicePixelRatio;
    canvas.current.height = size.h * devicePixelRatio;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const { points, marks } = view.series;
    paintTimeline(
      context,
      {
        ...{ scale, points, marks, gantt, scroll: top, playhead: at, selected: selectedNode },
        height: size.h,
        ...{ now: view.now, planned: view.planned },
        compared: at !== undefined && typeof compare === 'number' ? compare : undefined,
      },
      palette,
    );
    markReady();
  }, [view, scale, gantt, top, at, compare, selectedNode, palette, size]);

  const timeAt = (event: PointerEvent<HTMLElement>): number =>
    Math.min(view.to, toTime(scale, event.clientX - event.currentTarget.getBoundingClientRect().left));

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const bounds = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
    const row = y > CURVE_PX ? findRow(gantt, y - CURVE_PX + top) : undefined;
    if (row?.kind === 'node') select({ kind: 'node', name: row.span.name });
    if (x < LEFT_PX) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    onScrub(timeAt(event));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (direction === 0) return;
    event.preventDefault();
    const moved = (at ?? view.to) + direction * STEP_SHARE * (view.to - view.from);
    onScrub(Math.round(Math.min(view.to, Math.max(view.from, moved))));
  };

  return (
    <div
      ref={frame}
      className={cx(styles.frame)}
      data-testid="timeline"
      role="slider"
      tabIndex={0}
      aria-label="Moment that the page shows"
      aria-valuemin={view.from}
      aria-valuemax={view.to}
      aria-valuenow={at ?? view.to}
      aria-valuetext={at === undefined ? 'now' : formatTime(at)}
      onPointerDown={onPointerDown}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) onScrub(timeAt(event));
      }}
      onWheel={(event) => setScroll(Math.max(0, Math.min(maxScroll, top + event.deltaY)))}
      onKeyDown={onKeyDown}
    >
      <canvas ref={canvas} className={cx(styles.canvas)} />
    </div>
  );
}
