import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  computeForgottenAt,
  FIRST_SHORTAGE_MS,
  findLastEnd,
  MAX_SHORTAGE_MS,
  markShort,
  type Shortage,
  shortageKey,
} from '../../../shared/model/offerings/shortages.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';

/** The times of marks, in minutes after noon, and how long each shortage lasts, in minutes. */
function lengthsAt(minutes: readonly number[]): readonly number[] {
  let before: Shortage | undefined;
  return minutes.map((minute) => {
    const now = NOON + minute * MINUTE_MS;
    before = markShort(before, now);
    return (before.until - now) / MINUTE_MS;
  });
}

describe('a shortage', () => {
  it.each<[string, number[], number[]]>([
    ['lasts three minutes the first time', [0], [3]],
    ['lasts twice as long when it comes back', [0, 3, 9, 21, 45, 75], [3, 6, 12, 24, 30, 30]],
    ['is the same while it lasts, and starts over', [0, 1, 2], [3, 3, 3]],
    ['does not start over within ten seconds', [0, 0.1, 0.2], [3, 2.9, 3]],
    ['is as long as the last after one quiet hour', [0, 3, 9 + 60], [3, 6, 6]],
    ['is one step longer one minute before that', [0, 3, 9 + 59], [3, 6, 12]],
    ['goes back one step for each quiet hour', [0, 3, 9, 21 + 120], [3, 6, 12, 6]],
    ['is the first again after a quiet day', [0, 3, 9, 21, 45 + 24 * 60], [3, 6, 12, 24, 3]],
  ])('lasts as long as its history requires: %s', (_, marks, lengths) => {
    expect(lengthsAt(marks)).toEqual(lengths);
  });

  const anyGaps = fc.array(fc.integer({ min: 0, max: 6 * HOUR_MS }), { minLength: 1 });

  function history(gaps: readonly number[]): readonly { at: EpochMs; shortage: Shortage }[] {
    let at = NOON;
    let shortage: Shortage | undefined;
    return gaps.map((gap) => {
      at += gap;
      shortage = markShort(shortage, at);
      return { at, shortage };
    });
  }

  it('lasts three minutes to half an hour, less ten seconds, whatever its history', () => {
    fc.assert(
      fc.property(anyGaps, (gaps) => {
        for (const { at, shortage } of history(gaps)) {
          expect(shortage.until - at).toBeGreaterThanOrEqual(FIRST_SHORTAGE_MS - 10 * SECOND_MS);
          expect(shortage.until - at).toBeLessThanOrEqual(MAX_SHORTAGE_MS);
        }
      }),
    );
  });

  it('never ends earlier after another mark', () => {
    fc.assert(
      fc.property(anyGaps, (gaps) => {
        const ends = history(gaps).map(({ shortage }) => shortage.until);
        expect(ends).toEqual(ends.toSorted((a, b) => a - b));
      }),
    );
  });

  it('is forgotten at the announced time: the next shortage is the first one again', () => {
    fc.assert(
      fc.property(anyGaps, (gaps) => {
        const last = history(gaps).at(-1);
        if (!last) return;
        const end = computeForgottenAt(last.shortage);
        expect(end - last.shortage.until).toBeLessThan(DAY_MS);
        expect(markShort(last.shortage, end).times).toBe(1);
      }),
    );
  });
});

describe('shortages', () => {
  it('have equal keys for equal offerings', () => {
    expect(shortageKey({ instanceType: 'm5.large', capacityType: 'spot' })).toBe('m5.large#*#spot');
    expect(shortageKey({ capacityType: 'reserved', reservationId: 'cr-1' })).toBe('*#*#reserved#cr-1');
  });

  it('end with the last of them', () => {
    expect(findLastEnd([{ until: NOON }, { until: NOON + 1 }])).toBe(NOON + 1);
    expect(findLastEnd([])).toBeUndefined();
  });
});
