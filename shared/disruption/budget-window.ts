import { findNextOccurrence, findUnknownZone, parseCron } from '../model/cron.ts';
import { memoize } from '../model/memo.ts';
import type { Budget } from '../model/nodes/node-pool.ts';
import type { EpochMs } from '../model/time.ts';

/**
 * The window in which a budget is active: from each scheduled time, inclusive, to the end of the
 * duration, exclusive.
 *
 * `always`: the budget has no schedule, or one that never matches, which errs on the safe side.
 * `unreadable`: the schedule cannot be read, or stands without a duration.
 */
type BudgetWindow =
  | { readonly kind: 'always' }
  | { readonly kind: 'unreadable'; readonly fault: string }
  | { readonly kind: 'scheduled'; readonly opensAt: EpochMs; readonly closesAt: EpochMs };

/** Finds the window that is open at the time, or else the next one. */
export function findWindow(budget: Budget, at: EpochMs): BudgetWindow {
  const { schedule, durationMs } = budget;
  if (schedule === undefined && durationMs === undefined) return { kind: 'always' };
  const cron = readSchedule(budget);
  if (!cron || durationMs === undefined) return { kind: 'unreadable', fault: describe(budget) };
  // findNextOccurrence is strictly later, which excludes a window that ends now.
  const opensAt = findNextOccurrence(cron, at - durationMs);
  if (opensAt === undefined) return { kind: 'always' };
  return { kind: 'scheduled', opensAt, closesAt: opensAt + durationMs };
}

const readSchedule = memoize(({ schedule }: Budget) => (schedule === undefined ? undefined : parseCron(schedule)));

/** Describes why the window of the budget cannot be read. */
function describe({ schedule, durationMs }: Budget): string {
  if (schedule === undefined) return 'a duration needs a schedule';
  if (durationMs === undefined) return 'a schedule needs a duration';
  const zone = findUnknownZone(schedule);
  return zone === undefined
    ? `"${schedule}" is no schedule that can be computed`
    : `"${schedule}" names the time zone ${zone || '""'}, which does not exist`;
}
