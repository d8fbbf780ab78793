import type { PlannedStep, SeriesPoint } from '../../timeline-views.ts';
import type { EventView } from '../../views.ts';
import type { Gantt } from './rows.ts';
import type { TimeScale } from './time-scale.ts';

export const CURVE_PX = 150;
export const AXIS_PX = 22;

export interface TimelinePicture {
  readonly scale: TimeScale;
  readonly height: number;
  readonly points: readonly SeriesPoint[];
  readonly marks: readonly EventView[];
  readonly gantt: Gantt;
  /** Pixels by which the rows are scrolled. */
  readonly scroll: number;
  readonly now: number;
  readonly planned: readonly PlannedStep[];
  readonly playhead: number | undefined;
  /** The picked moment that the playhead is compared with. */
  readonly compared: number | undefined;
  readonly selected: string | undefined;
}
