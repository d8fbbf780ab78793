import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findNextOccurrence, findUnknownZone, parseCron } from '../../shared/model/cron.ts';
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
  ['TZ=UTC 0 0 * * *', '2026-11-22T00:00'],
  ['CRON_TZ=Asia/Tokyo 0 0 * * *', '2026-11-22T15:00'],
  ['CRON_TZ=Asia/Tokyo @daily', '2026-11-22T15:00'],
  ['CRON_TZ=America/New_York  0 13 * * sat', '2026-11-28T18:00'],
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
  'CRON_TZ=Europe/Berlim 0 0 * * *',
  'CRON_TZ= 0 0 * * *',
  'CRON_TZ=UTC',
  '0 0 * * * CRON_TZ=UTC',
  'ZONE=UTC 0 0 * * *',
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
    expect(hitAfter('30 2 8 3 *', Date.parse('2026-03-08T00:00:00Z'))).toBe(Date.parse('2026-03-08T02:30:00Z'));
  });
});

const numbers = (min: number, max: number) => fc.integer({ min, max });
const field = (min: number, max: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant('*'),
    numbers(min, max).map(String),
    fc.tuple(numbers(min, max), numbers(min, max)).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    numbers(1, 90).map((step) => `*/${step}`),
    fc.tuple(numbers(min, max), numbers(1, 90)).map(([from, step]) => `${from}/${step}`),
  );
const anySchedule = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6))
  .map((fields) => fields.join(' '));
/** The first two have daylight saving time, the others had it, or never. */
const anyZone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Asia/Kolkata');

/** The time that the clocks of the zone show, as if it were a time in UTC. */
const toLocalTime = (at: number, timeZone: string): number =>
  Date.parse(`${new Date(at).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);

const anyMoment = fc.integer({ min: 0, max: 40 * 365 * 24 * HOUR_MS });

describe('schedules in a time zone', () => {
  /** All matches from the first moment until the second. */
  function listHits(schedule: string, from: string, to: string): string[] {
    const hits: string[] = [];
    let hit = hitAfter(schedule, Date.parse(from) - 1);
    while (hit !== undefined && hit < Date.parse(to)) {
      hits.push(formatInstant(hit).slice(5, 16));
      hit = hitAfter(schedule, hit);
    }
    return hits;
  }

  it.each<[string, string, string, string, readonly string[]]>([
    // Berlin: on 29 March 2026 clocks go from 02:00 to 03:00, on 25 October from 03:00 to 02:00.
    [
      'keep the local time in spring',
      'Europe/Berlin 0 9 * * *',
      '2026-03-28',
      '2026-03-31',
      ['03-28T08:00', '03-29T07:00', '03-30T07:00'],
    ],
    [
      'keep the local time in autumn',
      'Europe/Berlin 0 9 * * *',
      '2026-10-24',
      '2026-10-27',
      ['10-24T07:00', '10-25T08:00', '10-26T08:00'],
    ],
    [
      'match a skipped time at the change',
      'Europe/Berlin 30 2 * * *',
      '2026-03-28',
      '2026-03-31',
      ['03-28T01:30', '03-29T01:00', '03-30T00:30'],
    ],
    [
      'match a repeated time twice',
      'Europe/Berlin 30 2 * * *',
      '2026-10-24',
      '2026-10-27',
      ['10-24T00:30', '10-25T00:30', '10-25T01:30', '10-26T01:30'],
    ],
    [
      'match the hour after a skipped one once',
      'Europe/Berlin 0 2,3 * * *',
      '2026-03-29',
      '2026-03-30',
      ['03-29T01:00'],
    ],
    [
      'match each hour when the clocks go forward',
      'Europe/Berlin 0 * * * *',
      '2026-03-29',
      '2026-03-29T04:00Z',
      ['03-29T00:00', '03-29T01:00', '03-29T02:00', '03-29T03:00'],
    ],
    [
      'match each hour when the clocks go back',
      'Europe/Berlin 0 * * * *',
      '2026-10-25',
      '2026-10-25T04:00Z',
      ['10-25T00:00', '10-25T01:00', '10-25T02:00', '10-25T03:00'],
    ],
    ['take the weekday from the zone', 'Asia/Tokyo 0 8 * * mon', '2026-11-21', '2026-11-29', ['11-22T23:00']],
    [
      'take the day of the month from the zone',
      'America/Los_Angeles 0 20 1 * *',
      '2026-07-01',
      '2026-07-31',
      ['07-02T03:00'],
    ],
    // Lord Howe: on 4 October 2026 clocks go from 02:00 to 02:30, half an hour.
    [
      'match a time that half an hour skips',
      'Australia/Lord_Howe 15 2 * * *',
      '2026-10-03',
      '2026-10-05',
      ['10-03T15:30', '10-04T15:15'],
    ],
    // Cairo: on 24 April 2026 clocks go from 00:00 to 01:00, on 29 October from 24:00 to 23:00.
    [
      'match a midnight that is skipped',
      'Africa/Cairo @daily',
      '2026-04-22T23:00Z',
      '2026-04-25',
      ['04-23T22:00', '04-24T21:00'],
    ],
    [
      'match a late evening that is repeated',
      'Africa/Cairo 30 23 * * *',
      '2026-10-29',
      '2026-10-31',
      ['10-29T20:30', '10-29T21:30', '10-30T21:30'],
    ],
    // Samoa had no 30 December 2011.
    ['match on a day that is skipped', 'Pacific/Apia 0 12 30 12 *', '2011-12-01', '2012-12-01', ['12-30T10:00']],
    ['work with offsets of 45 minutes', 'Asia/Kathmandu 0 0 * * *', '2026-01-01', '2026-01-02', ['01-01T18:15']],
  ])('%s: %s from %s to %s', (_, schedule, from, to, expected) => {
    expect(listHits(`CRON_TZ=${schedule}`, from, to)).toEqual(expected);
  });

  it('are named if there is no such zone', () => {
    expect(findUnknownZone('CRON_TZ=Europe/Berlim 0 0 * * *')).toBe('Europe/Berlim');
    expect(findUnknownZone('CRON_TZ=Europe/Berlin 0 0 * * *')).toBeUndefined();
    expect(findUnknownZone('0 0 * * *')).toBeUndefined();
  });
});

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

  it('matches, in a time zone, each minute whose local time it names', () => {
    fc.assert(
      fc.property(anyZone, anyMoment, fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }), (zone, at, isStar) => {
        const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
        const local = new Date(toLocalTime(minute, zone));
        const { day, month, weekday } = calendarOf(local.getTime());
        const fields = [local.getUTCMinutes(), local.getUTCHours(), day, month, weekday]
          .map((value, index) => (isStar[index] ? '*' : `${value}`))
          .join(' ');

        expect(hitAfter(`CRON_TZ=${zone} ${fields}`, minute - 1)).toBe(minute);
      }),
    );
  });

  it('matches, in a time zone, no minute that it does not name, unless clocks skip one', () => {
    fc.assert(
      fc.property(anyZone, anyMoment, anySchedule, (zone, after, schedule) => {
        const hit = hitAfter(`CRON_TZ=${zone} ${schedule}`, after);
        if (hit === undefined) return;
        const local = toLocalTime(hit, zone);
        const isAfterSkip = local - toLocalTime(hit - MINUTE_MS, zone) > MINUTE_MS;

        expect(isAfterSkip || hitAfter(schedule, local - 1) === local).toBe(true);
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
