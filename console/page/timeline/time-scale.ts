import type { EventView } from '../../views.ts';

/** Maps the times of a window to pixels. */
export interface TimeScale {
  readonly from: number;
  readonly to: number;
  readonly startX: number;
  readonly endX: number;
}

export const toX = ({ from, to, startX, endX }: TimeScale, at: number): number =>
  startX + ((at - from) / Math.max(1, to - from)) * (endX - startX);

export const toTime = ({ from, to, startX, endX }: TimeScale, x: number): number =>
  Math.round(Math.min(to, Math.max(from, from + ((x - startX) / (endX - startX)) * (to - from))));

const STEPS_MIN = [1, 2, 5, 10, 15, 30, 60, 120, 240];
const MIN_GAP_PX = 70;

/** Round times with enough room between them. */
export function listTicks(scale: TimeScale): readonly number[] {
  const pxPerMinute = (60_000 * (scale.endX - scale.startX)) / Math.max(1, scale.to - scale.from);
  const minutes = STEPS_MIN.find((step) => step * pxPerMinute >= MIN_GAP_PX) ?? 480;
  const stepMs = minutes * 60_000;
  const first = Math.ceil(scale.from / stepMs) * stepMs;
  const count = Math.max(0, Math.floor((scale.to - first) / stepMs) + 1);
  return Array.from({ length: count }, (_, index) => first + index * stepMs);
}

/** The last stop before a moment, or the first after it. */
export function findStop(
  stops: readonly Pick<EventView, 'at'>[],
  at: number,
  direction: 'earlier' | 'later',
): number | undefined {
  return direction === 'earlier' ? stops.findLast((stop) => stop.at < at)?.at : stops.find((stop) => stop.at > at)?.at;
}
