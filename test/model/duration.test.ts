import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationMs, formatDuration, formatShortDuration, parseGoDuration } from '../../shared/model/duration.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';

describe('durationMs', () => {
  it.each([
    ['30s', 30 * SECOND_MS],
    ['1h30m', 90 * MINUTE_MS],
    ['30m1h', 90 * MINUTE_MS],
    ['0s', 0],
    ['720h', 720 * HOUR_MS],
    ['8h0m0s', 8 * HOUR_MS],
  ])('adds up the parts of %s', (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });
});

describe('parseGoDuration', () => {
  it.each([
    ['1.5h', 90 * MINUTE_MS],
    ['90s', 90 * SECOND_MS],
    ['-90s', -90 * SECOND_MS],
    ['.5s', 500],
    ['1h0.5m', HOUR_MS + 30 * SECOND_MS],
    ['250ms', 250],
    ['1500us', 1.5],
    ['0', 0],
    ['-0s', 0],
  ])('parses %s', (text, ms) => {
    expect(parseGoDuration(text)).toBe(ms);
  });

  it.each(['1d', 'yes', '', '5', '1h 5m', '1e3s', '.s', '--1s'])('refuses %j', (text) => {
    expect(parseGoDuration(text)).toBeUndefined();
  });
});

describe('formatted durations', () => {
  it.each([
    [92 * SECOND_MS, '1 min 32 s'],
    [2 * HOUR_MS, '2 h'],
    [2 * HOUR_MS + 59 * SECOND_MS, '2 h'],
    [30 * HOUR_MS, '1 d 6 h'],
    [999, '0 s'],
    [0, '0 s'],
    [59_999, '59 s'],
  ])('show %i ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    [90 * MINUTE_MS, '1h30m'],
    [720 * HOUR_MS, '720h'],
    [90 * SECOND_MS, '1m30s'],
    [0, '0s'],
  ])('show %i ms as %s in the short form', (ms, text) => {
    expect(formatShortDuration(ms)).toBe(text);
  });

  it('keep their length if the short form is parsed again', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10_000_000 }), (seconds) => {
        expect(durationMs(formatShortDuration(seconds * SECOND_MS))).toBe(seconds * SECOND_MS);
      }),
    );
  });
});
