import { calendarOf, DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from './time.ts';
import { createDayClock, findTimeZone, type TimeZone, UTC, type WallTime } from './time-zone.ts';

/**
 * A schedule, read exactly like Karpenter's cron library, oddities included, so that an existing
 * budget keeps its meaning.
 *
 * @see robfig/cron v3, ParseStandard
 */
export interface Cron {
  /** The zone whose clocks the other fields are about. */
  readonly zone: TimeZone;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** Sunday is 0; 7 is invalid. */
  readonly weekdays: ReadonlySet<number>;
  /**
   * True if days of the month and days of the week are both restricted. A day then needs to match
   * only one of them.
   */
  readonly isEitherDay: boolean;
}

/**
 * Parses five fields or a macro, in UTC or in the zone of a prefix: `CRON_TZ=Europe/Berlin 0 9 * * *`.
 * Returns `undefined` for anything else, and if there is no such zone.
 */
export function parseCron(schedule: string): Cron | undefined {
  const { zoneName, fields } = splitZone(schedule.trim());
  const zone = zoneName === undefined ? UTC : findTimeZone(zoneName);
  return zone && parseFields(fields.startsWith('@') ? (MACROS.get(fields) ?? '') : fields, zone);
}

/** Returns the time zone that the schedule names if there is no such zone. */
export function findUnknownZone(schedule: string): string | undefined {
  const { zoneName } = splitZone(schedule.trim());
  return zoneName === undefined || findTimeZone(zoneName) ? undefined : zoneName;
}

/** The library accepts both spellings. */
const ZONE_PREFIX = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/s;

function splitZone(text: string): { readonly zoneName?: string; readonly fields: string } {
  const [, zoneName, fields] = ZONE_PREFIX.exec(text) ?? [];
  return zoneName === undefined || fields === undefined ? { fields: text } : { zoneName, fields };
}

const MACROS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

function parseFields(text: string, zone: TimeZone): Cron | undefined {
  const [minutes, hours, days, months, weekdays, ...more] = text.split(/\s+/);
  const read = [
    parseField(minutes, MINUTE),
    parseField(hours, HOUR),
    parseField(days, DAY),
    parseField(months, MONTH),
    parseField(weekdays, WEEKDAY),
  ] as const;
  if (more.length > 0 || !isWhole(read)) return undefined;
  const [minute, hour, day, month, weekday] = read;
  return {
    zone,
    minutes: minute.values,
    hours: hour.values,
    days: day.values,
    months: month.values,
    weekdays: weekday.values,
    isEitherDay: !day.isStar && !weekday.isStar,
  };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** The names of the values, starting with `min`. */
  readonly names?: readonly string[];
}

const MINUTE: Bounds = { min: 0, max: 59 };
const HOUR: Bounds = { min: 0, max: 23 };
const DAY: Bounds = { min: 1, max: 31 };
const MONTH: Bounds = {
  min: 1,
  max: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
const WEEKDAY: Bounds = {
  min: 0,
  max: 6,
  names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
};

interface Values {
  readonly values: ReadonlySet<number>;
  readonly isStar: boolean;
}
type Read = Values | undefined;

const isWhole = (
  read: readonly [Read, Read, Read, Read, Read],
): read is readonly [Values, Values, Values, Values, Values] => read.every((field) => field !== undefined);

/** A list of ranges. Empty items are ignored. */
function parseField(field: string | undefined, bounds: Bounds): Values | undefined {
  if (field === undefined || field === '') return undefined;
  const parts = field.split(',').filter((part) => part !== '');
  const ranges = parts.map((part) => parseRange(part, bounds));
  if (!ranges.every((range) => range !== undefined)) return undefined;
  return {
    values: new Set(ranges.flatMap(listNumbers)),
    isStar: ranges.some(({ isStar }) => isStar),
  };
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly isStar: boolean;
}

function parseRange(part: string, bounds: Bounds): Range | undefined {
  const [range = '', written, ...more] = part.split('/');
  const step = written === undefined ? 1 : wholeNumber(written);
  if (more.length > 0 || step === undefined || step === 0) return undefined;

  const { min, max } = bounds;
  const [from = '', to, ...rest] = range.split('-');
  // The library ignores what follows `*-`; only a step makes it invalid.
  if (from === '*' || from === '?') return { from: min, to: max, step, isStar: step === 1 };

  const first = parseNumber(from, bounds);
  // `5/15` means from 5 to the end in steps of 15.
  const last = to === undefined ? (written === undefined ? first : max) : parseNumber(to, bounds);
  if (rest.length > 0 || first === undefined || last === undefined) return undefined;
  return first >= min && last <= max && first <= last ? { from: first, to: last, step, isStar: false } : undefined;
}

/** A step that is wider than the range leaves only its first number. */
function listNumbers({ from, to, step }: Range): readonly number[] {
  const count = Math.floor((to - from) / step) + 1;
  return Array.from({ length: count }, (_, index) => from + index * step);
}

function parseNumber(text: string, { min, names = [] }: Bounds): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  return named >= 0 ? named + min : wholeNumber(text);
}

/** Like Go, this accepts a plus sign and leading zeros. */
const wholeNumber = (text: string): number | undefined => (/^\+?[0-9]{1,18}$/.test(text) ? Number(text) : undefined);

/**
 * The number of years to search. A schedule that has no match in them, such as 30 February, never
 * matches.
 */
const YEARS_AHEAD = 5;

/**
 * Returns the first minute of the schedule after `after`; `undefined` if there is none within five
 * years. Times that the clocks of the zone show twice match twice. Times that they skip match when
 * they skip them, so that no time of the schedule is lost.
 */
export function findNextOccurrence(cron: Cron, after: EpochMs): EpochMs | undefined {
  const start = (Math.floor(after / MINUTE_MS) + 1) * MINUTE_MS;
  const firstDay = startOfDay(start + cron.zone.offsetAt(start));
  const lastYear = calendarOf(firstDay).year + YEARS_AHEAD;
  for (let day = firstDay; calendarOf(day).year <= lastYear; day += DAY_MS) {
    const hit = isDay(cron, day) ? findFirstMinute(cron, day, start) : undefined;
    if (hit !== undefined) return hit;
  }
  return undefined;
}

const startOfDay = (at: WallTime): WallTime => Math.floor(at / DAY_MS) * DAY_MS;

function isDay({ days, months, weekdays, isEitherDay }: Cron, at: WallTime): boolean {
  const { month, day, weekday } = calendarOf(at);
  if (!months.has(month)) return false;
  return isEitherDay ? days.has(day) || weekdays.has(weekday) : days.has(day) && weekdays.has(weekday);
}

/** Returns `undefined` if the day has no matching minute from `start` on. */
function findFirstMinute({ zone, hours, minutes }: Cron, day: WallTime, start: EpochMs): EpochMs | undefined {
  const listMoments = createDayClock(zone, day);
  const hits = [...hours]
    .flatMap((hour) => [...minutes].map((minute) => day + hour * HOUR_MS + minute * MINUTE_MS))
    .flatMap(listMoments)
    .filter((at) => at >= start);
  return hits.length > 0 ? Math.min(...hits) : undefined;
}
