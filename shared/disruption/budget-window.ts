import { findNextOccurrence, parseCron } from '../model/cron.ts';
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
  | { readonly kind: 'always' | 'unreadable' }
  | { readonly kind: 'scheduled'; readonly opensAt: EpochMs; readonly closesAt: EpochMs };

/** Finds the window that is open at the time, or else the next one. */
export function findWindow({ schedule, durationMs }: Budget, at: EpochMs): BudgetWindow {
  if (schedule === undefined && durationMs === undefined) return { kind: 'always' };
  const cron = schedule === undefined ? undefined : parseCron(schedule);
  if (!cron || durationMs === undefined) return { kind: 'unreadable' };
  // findNextOccurrence is strictly later, which excludes a window that ends now.
  const opensAt = findNextOccurrence(cron, at - durationMs);
  if (opensAt === undefined) return { kind: 'always' };
  return { kind: 'scheduled', opensAt, closesAt: opensAt + durationMs };
}
