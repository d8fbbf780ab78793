import { findNextOccurrence, parseCron } from '../cron.ts';
import { memoize } from '../memo.ts';
import { type EpochMs, MINUTE_MS } from '../time.ts';

/** Hours that a pool works in, from each time of the schedule on, for the duration. */
export interface HoursWindow {
  /** As in a disruption budget, with an optional time zone. */
  readonly schedule: string;
  readonly durationMs: number;
}

/** The hours of a pool, and its size outside of them. */
export interface PoolHours {
  readonly windows: readonly HoursWindow[];
  /** Nodes that the pool may have in its off hours. */
  readonly offHoursNodes: number;
}

/** The off hours that a pool is in. */
export interface OffHours {
  /** Nodes that the pool may have. */
  readonly nodes: number;
  /** When it may launch more nodes again. */
  readonly until: EpochMs;
}

/**
 * Off hours end this long before hours begin, so that the nodes for pending pods are ready in time:
 * a sweep notices it within a minute, and a node is usually ready one to two minutes after that.
 */
export const START_AHEAD_MS = 5 * MINUTE_MS;

/** Finds the off hours of the pool; `undefined` in its hours, and if it has none. */
export function findOffHours({ hours }: { readonly hours?: PoolHours }, now: EpochMs): OffHours | undefined {
  if (!hours) return undefined;
  const begins = Math.min(...hours.windows.map((window) => findBegin(window, now)));
  const until = begins - START_AHEAD_MS;
  // A schedule that never comes sets no hours, so it cannot turn the pool off.
  return until > now && until < Infinity ? { nodes: hours.offHoursNodes, until } : undefined;
}

/** When the hours that are under way began, or else when the next ones begin. */
function findBegin(window: HoursWindow, now: EpochMs): EpochMs {
  const cron = readSchedule(window);
  return (cron && findNextOccurrence(cron, now - window.durationMs)) ?? Infinity;
}

const readSchedule = memoize(({ schedule }: HoursWindow) => parseCron(schedule));
