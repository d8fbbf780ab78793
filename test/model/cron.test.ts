import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findNextOccurrence, parseCron } from '../../shared/model/cron.ts';
import { calendarOf, formatInstant, HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';

/** A Saturday. */
const EVENING = Date.parse('2026-11-21T18:00:00Z');

const hitAfter = (schedule: string, after: number): number | undefined => {
  const cron = parseCron(schedule);
  if (!cron) throw new Error(`cannot be computed: ${schedule}`);
  return findNextOccurrence(cron, after);
};

/** Schedules and next times as robfig/cron 3.0.1 gives them, the library that Karpenter uses. */
const HITS: readonly (readonly [schedule: string, hit: string])[] = [
  ['*/15 * * * *', '2026-11-21T18:15'],
  ['0 9 * * mon-fri', '2026-11-23T09:00'],
  ['0 9 * * MON-Fri', '2026-11-23T09:00'],
  ['30 6 * * SUN', '2026-11-22T06:30'],
  ['? ? * * 0,6', '2026-11-21T18:01'],
  ['0-30/5 8-18 * jan-mar sun', '2027-01-03T08:00'],
  ['5/20 * * * *', '2026-11-21T18:05'],
  ['0 22/5 * * *', '2026-11-21T22:00'],
  ['* * * * */8', '2026-11-22T00:00'],
  ['0 0 */40 * *', '2026-12-01T00:00'],
  ['0 0 * */13 *', '2027-01-01T00:00'],
  ['*/90 3 * * *', '2026-11-22T03:00'],
  ['0 0 1,15 * *', '2026-12-01T00:00'],
  ['0 0 1,15 * mon', '2026-11-23T00:00'],
  ['0 0 13 * fri', '2026-11-27T00:00'],
  ['0 0 */2 * mon', '2026-11-23T00:00'],
  ['0 0 */1 * mon', '2026-11-23T00:00'],
  ['0 0 * * */2', '2026-11-22T00:00'],
  ['0 0 1 * */1', '2026-12-01T00:00'],
  ['0 0 *,5 * mon', '2026-11-23T00:00'],
  ['0 0 5 * *,mon', '2026-12-05T00:00'],
  ['0 0 31 * *', '2026-12-31T00:00'],
  ['0 0 29 2 *', '2028-02-29T00:00'],
  ['0 0 29 2 1', '2027-02-01T00:00'],
  ['0 0 30 2 *', 'never'],
  ['0 0 30 2 mon', '2027-02-01T00:00'],
  ['0 0 31 4,6,9,11 *', 'never'],
  ['007 +5 * * *', '2026-11-22T05:07'],
  ['0 0 1 jan,,mar *', '2027-01-01T00:00'],
  ['0 0 * , *', 'never'],
  [', 0 1 1 *', 'never'],
  ['*-7 0 * * *', '2026-11-22T00:00'],
  ['  0\t12  * * * ', '2026-11-22T12:00'],
  ['@hourly', '2026-11-21T19:00'],
  ['@daily', '2026-11-22T00:00'],
  ['@midnight', '2026-11-22T00:00'],
  ['@weekly', '2026-11-22T00:00'],
  ['@monthly', '2026-12-01T00:00'],
  ['@yearly', '2027-01-01T00:00'],
  ['@annually', '2027-01-01T00:00'],
  [' @daily ', '2026-11-22T00:00'],
];

/** Schedules that the library refuses. */
const REFUSED: readonly string[] = [
  '99 * * * *',
  '0 24 * * *',
  '0 0 0 * *',
  '0 0 32 * *',
  '0 0 * 13 *',
  '0 0 * 0 *',
  '0 0 * * 7',
  '0 0 * * 5-7',
  '0 0 * * fri-mon',
  '0 0 * * sunday',
  '0 0 L * *',
  '0 0 15W * *',
  '0 0 * * 5L',
  '0 0 * * mon#1',
  '0 0 * * tue/sun',
  '1-2-3 0 * * *',
  '-5 0 * * *',
  '1- 0 * * *',
  '*/0 * * * *',
  '*/-1 * * * *',
  '*/1/2 * * * *',
  '*/x * * * *',
  '0 0 * *',
  '0 0 0 * * *',
  'a b c d e',
  '@dailyx',
  '@Daily',
  '@reboot',
  'TZ=UTC 0 0 * * *',
  'CRON_TZ=Asia/Tokyo 0 0 * * *',
  '',
  '0 0 1.5 * *',
  '0 0 1e1 * *',
  '0xa 0 * * *',
];

describe('cron schedules', () => {
  it.each(HITS)('computes the next time of %j as %s', (schedule, expected) => {
    const hit = hitAfter(schedule, EVENING);

    expect(hit === undefined ? 'never' : formatInstant(hit).slice(0, 16)).toBe(expected);
  });

  it.each(REFUSED)('finds no time for %j', (schedule) => {
    expect(parseCron(schedule)).toBeUndefined();
  });

  it.each([
    ['strictly after: not at the moment itself', '0 18 * * *', 0, '2026-11-22T18:00:00Z'],
    ['at once, a millisecond before', '0 18 * * *', -1, '2026-11-21T18:00:00Z'],
    ['at a whole minute', '* * * * *', 30_500, '2026-11-21T18:01:00Z'],
    ['over the end of a year', '59 23 31 12 *', 0, '2026-12-31T23:59:00Z'],
    ['on 29 February of a leap year', '0 0 29 2 *', 365 * 24 * HOUR_MS, '2028-02-29T00:00:00Z'],
  ])('matches %s', (_, schedule, afterMs, expected) => {
    const hit = hitAfter(schedule, EVENING + afterMs);

    expect(hit === undefined ? 'never' : formatInstant(hit)).toBe(expected);
  });

  it('are in UTC, whatever the time zone of the machine', () => {
    // 02:30 does not exist on this day in New York.
    expect(hitAfter('30 2 8 3 *', Date.parse('2026-03-08T00:00:00Z'))).toBe(
      Date.parse('2026-03-08T02:30:00Z'),
    );
  });
});

const numbers = (min: number, max: number) => fc.integer({ min, max });
const field = (min: number, max: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant('*'),
    numbers(min, max).map(String),
    fc
      .tuple(numbers(min, max), numbers(min, max))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    numbers(1, 90).map((step) => `*/${step}`),
    fc.tuple(numbers(min, max), numbers(1, 90)).map(([from, step]) => `${from}/${step}`),
  );
const anySchedule = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6))
  .map((fields) => fields.join(' '));
const anyMoment = fc.integer({ min: 0, max: 40 * 365 * 24 * HOUR_MS });

describe('every valid schedule', () => {
  it('matches the named minutes in order and misses none', () => {
    fc.assert(
      fc.property(anySchedule, anyMoment, (schedule, after) => {
        const hit = hitAfter(schedule, after);
        if (hit === undefined) return;

        expect(hit).toBeGreaterThan(after);
        expect(hit % MINUTE_MS).toBe(0);
        expect(parseCron(schedule)?.months).toContain(calendarOf(hit).month);
        // Any moment between two matches has the same next match.
        const between = after + Math.floor((hit - after) / 2);
        expect(hitAfter(schedule, between)).toBe(hit);
        expect(hitAfter(schedule, hit - 1)).toBe(hit);
      }),
    );
  });

  it('matches the same times if its ranges are written as lists', () => {
    fc.assert(
      fc.property(anySchedule, anyMoment, (schedule, after) => {
        const [minutes, hours, ...days] = schedule.split(' ');
        const cron = parseCron(schedule);
        const written = [
          minutes === '*' ? '*' : [...(cron?.minutes ?? [])].join(','),
          hours === '*' ? '*' : [...(cron?.hours ?? [])].join(','),
          ...days,
        ].join(' ');

        expect(hitAfter(written, after)).toBe(hitAfter(schedule, after));
      }),
    );
  });
});
