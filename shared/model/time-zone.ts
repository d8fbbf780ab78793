import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';

/** A time zone of the IANA database. */
export interface TimeZone {
  /** Milliseconds that its clocks are ahead of UTC at the time; negative if they are behind. */
  offsetAt(at: EpochMs): number;
}

export const UTC: TimeZone = { offsetAt: () => 0 };

/**
 * Finds a zone by its name, such as `Europe/Berlin`; `undefined` if there is none. The rules of the
 * zones are those of the JavaScript engine.
 */
export function findTimeZone(name: string): TimeZone | undefined {
  const format = createOffsetFormat(name);
  return format && { offsetAt: (at) => parseOffset(format, at) };
}

function createOffsetFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The engine writes `GMT+05:30`, `GMT` for none, and seconds for times before zones were agreed on. */
const OFFSET = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/;

function parseOffset(format: Intl.DateTimeFormat, at: EpochMs): number {
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes, seconds = '0'] = OFFSET.exec(name) ?? [];
  if (sign === undefined) return 0;
  const size = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
  return sign === '-' ? -size : size;
}

/**
 * The time that the clocks of a zone show, as if it were a time in UTC: 09:00 in Berlin is 09:00Z. Not a
 * point in time.
 */
export type WallTime = number;

/**
 * Returns a function that lists the moments at which the clocks of a zone show a time of the day.
 *
 * When the clocks go back, they show some times twice: both moments count. When they go forward,
 * they skip some times: the moment of the change stands for them.
 *
 * @param day - midnight of the day on the clocks of the zone
 */
export function createDayClock(zone: TimeZone, day: WallTime): (wall: WallTime) => readonly EpochMs[] {
  // The widest offsets are 14 and -12 hours, so this range contains the whole day.
  const [from, to] = [day - DAY_MS, day + 2 * DAY_MS];
  const [before, after] = [zone.offsetAt(from), zone.offsetAt(to)];
  if (before === after) return (wall) => [wall - before];
  const change = findChange(zone, from, to);
  return (wall) => {
    const moments = [
      ...(wall - before < change ? [wall - before] : []),
      ...(wall - after >= change ? [wall - after] : []),
    ];
    return moments.length > 0 ? moments : [change];
  };
}

/** Finds the first minute with the offset that the zone has at the end of the range. */
function findChange(zone: TimeZone, from: EpochMs, to: EpochMs): EpochMs {
  const after = zone.offsetAt(to);
  let [low, high] = [Math.floor(from / MINUTE_MS), Math.ceil(to / MINUTE_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetAt(middle * MINUTE_MS) === after) high = middle;
    else low = middle;
  }
  return high * MINUTE_MS;
}
