import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCron } from '../../shared/api/runtime/cron.ts';

describe('a schedule of a budget', () => {
  it.each([
    '0 9 * * mon-fri',
    '*/15 * * * *',
    '0 0 1,15 * *',
    '0-30/5 8-18 * jan-mar sun',
    '? ? * * 0,6',
    '@daily',
    '@annually',
  ])('%j can be computed', (schedule) => {
    expect(isCron(schedule)).toBe(true);
  });

  it.each([
    ['99 * * * *', 'row 35: out of range'],
    ['0 24 * * *', 'out of range'],
    ['0 0 0 * *', 'days begin with 1'],
    ['0 0 * * 7', 'Sunday is 0'],
    ['0 0 * * fri-mon', 'reversed'],
    ['0 0 * *', 'four fields'],
    ['0 0 0 * * *', 'six fields'],
    ['*/0 * * * *', 'no step'],
    ['@dailyx', 'no macro'],
    ['@every 1h', 'no macro'],
    ['TZ=UTC 0 0 * * *', 'no time zone'],
    ['a b c d e', 'no numbers'],
  ])('%j cannot: %s', (schedule) => {
    expect(isCron(schedule)).toBe(false);
  });

  it('that can be computed is one that budgets do compute', () => {
    const part = (least: number, most: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min: least, max: most }).map(String),
        fc
          .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
          .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
        fc.integer({ min: 1, max: 6 }).map((step) => `*/${step}`),
      );
    const schedule = fc.tuple(part(0, 59), part(0, 23), part(1, 31), part(1, 12), part(0, 6));
    fc.assert(
      fc.property(schedule, (parts) => {
        const text = parts.join(' ');

        expect(isCron(text)).toBe(true);
        expect(() => new Cron(text, { timezone: 'UTC', paused: true })).not.toThrow();
      }),
    );
  });
});
