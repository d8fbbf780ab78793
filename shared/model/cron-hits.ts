import type { Cron } from './cron.ts';
import { calendarOf, DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from './time.ts';

/** Years that are searched: what comes less often, such as a 30 February, never comes. */
const YEARS_AHEAD = 5;

/** The first minute of the schedule strictly after `after`; absent where there is none. */
export function nextHit(cron: Cron, after: EpochMs): EpochMs | undefined {
  const start = (Math.floor(after / MINUTE_MS) + 1) * MINUTE_MS;
  const lastYear = calendarOf(start).year + YEARS_AHEAD;
  for (let day = startOfDay(start); calendarOf(day).year <= lastYear; day += DAY_MS) {
    const hit = isDay(cron, day) ? firstMinute(cron, day, start) : undefined;
    if (hit !== undefined) return hit;
  }
  return undefined;
}

const startOfDay = (at: EpochMs): EpochMs => Math.floor(at / DAY_MS) * DAY_MS;

function isDay({ days, months, weekdays, isEitherDay }: Cron, at: EpochMs): boolean {
  const { month, day, weekday } = calendarOf(at);
  if (!months.has(month)) return false;
  return isEitherDay
    ? days.has(day) || weekdays.has(weekday)
    : days.has(day) && weekdays.has(weekday);
}

/** Absent: the day has none that is not before `start`. */
function firstMinute({ hours, minutes }: Cron, day: EpochMs, start: EpochMs): EpochMs | undefined {
  const hits = [...hours]
    .flatMap((hour) => [...minutes].map((minute) => day + hour * HOUR_MS + minute * MINUTE_MS))
    .filter((at) => at >= start);
  return hits.length > 0 ? Math.min(...hits) : undefined;
}
