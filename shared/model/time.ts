/** A point in time: milliseconds since the Unix epoch, UTC. */
export type EpochMs = number;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Hours in the month that AWS bills by. */
export const HOURS_PER_MONTH = 730;

/** Formats RFC 3339 in UTC, to the second: `2026-11-21T14:32:09Z`. All dates are formatted here. */
export const formatInstant = (at: EpochMs): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** Reads what `formatInstant` wrote; not a number for any other text. */
export const parseInstant = (text: string): EpochMs => Date.parse(text);

/** A day of the calendar, in UTC. */
export interface CalendarDay {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
  /** Sunday is 0. */
  readonly weekday: number;
}

/** Returns the calendar day of `at`. No other function uses the calendar. */
export function calendarOf(at: EpochMs): CalendarDay {
  const date = new Date(at);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
}
