import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findOffHours, START_AHEAD_MS } from '../../../shared/model/nodes/pool-hours.ts';
import { DAY_MS, formatInstant, HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';

/** `0 8 * * * for 12h` as hours and minutes of the duration. */
const window = (schedule: string, hours: number) => ({ schedule, durationMs: hours * HOUR_MS });

const offUntil = (at: string, ...windows: ReturnType<typeof window>[]): string | undefined => {
  const off = findOffHours({ hours: { windows, offHoursNodes: 2 } }, Date.parse(at));
  return off && formatInstant(off.until);
};

describe('the off hours of a NodePool', () => {
  const daily = window('0 8 * * *', 12);
  const berlin = window('CRON_TZ=Europe/Berlin 0 8 * * mon-fri', 12);

  it.each<[string, string, string | undefined]>([
    ['last in the night', '2026-01-05T03:00:00Z', '2026-01-05T07:55:00Z'],
    ['last until five minutes before hours begin', '2026-01-05T07:54:59Z', '2026-01-05T07:55:00Z'],
    ['have ended then', '2026-01-05T07:55:00Z', undefined],
    ['are over by day', '2026-01-05T19:59:59Z', undefined],
    ['begin when hours end', '2026-01-05T20:00:00Z', '2026-01-06T07:55:00Z'],
  ])('%s: at %s', (_, at, expected) => {
    expect(offUntil(at, daily)).toBe(expected);
  });

  it.each<[string, string, string | undefined]>([
    // Sunday night; the clocks of Berlin are an hour ahead of UTC in winter, two in summer.
    ['in winter', '2026-01-04T22:00:00Z', '2026-01-05T06:55:00Z'],
    ['in summer', '2026-07-05T22:00:00Z', '2026-07-06T05:55:00Z'],
    ['at the weekend', '2026-01-03T12:00:00Z', '2026-01-05T06:55:00Z'],
    ['at the weekend on which clocks go forward', '2026-03-28T12:00:00Z', '2026-03-30T05:55:00Z'],
    ['at the weekend on which clocks go back', '2026-10-24T12:00:00Z', '2026-10-26T06:55:00Z'],
    ['by day in summer', '2026-07-06T06:00:00Z', undefined],
  ])('follow the clocks of a time zone: %s', (_, at, expected) => {
    expect(offUntil(at, berlin)).toBe(expected);
  });

  it('are outside of all windows', () => {
    const saturday = window('0 9 * * sat', 4);

    expect(offUntil('2026-01-03T10:00:00Z', berlin, saturday)).toBeUndefined();
    expect(offUntil('2026-01-03T13:00:00Z', berlin, saturday)).toBe('2026-01-05T06:55:00Z');
    expect(offUntil('2026-01-02T23:00:00Z', berlin, saturday)).toBe('2026-01-03T08:55:00Z');
  });

  it('have the number of nodes of the pool', () => {
    const hours = { windows: [daily], offHoursNodes: 3 };

    expect(findOffHours({ hours }, Date.parse('2026-01-05T00:00:00Z'))?.nodes).toBe(3);
  });

  it('do not exist without hours, or if hours never come', () => {
    expect(findOffHours({}, 0)).toBeUndefined();
    expect(offUntil('2026-01-05T00:00:00Z', window('0 0 30 2 *', 1))).toBeUndefined();
  });

  it('end once, exactly when they say', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40 * 365 * DAY_MS }),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 1, max: 23 }),
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
        (at, hour, hours, zone) => {
          const windows = [window(`CRON_TZ=${zone} 0 ${hour} * * *`, hours)];
          const pool = { hours: { windows, offHoursNodes: 0 } };
          const off = findOffHours(pool, at);
          if (!off) return;

          expect(findOffHours(pool, off.until - 1)).toEqual(off);
          expect(findOffHours(pool, off.until)).toBeUndefined();
          expect(findOffHours(pool, off.until + START_AHEAD_MS + MINUTE_MS)).toBeUndefined();
        },
      ),
    );
  });
});
