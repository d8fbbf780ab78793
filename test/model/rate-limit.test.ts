import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDeletionCostLimit, createRateLimit } from '../../shared/model/rate-limit.ts';
import { HOUR_MS, SECOND_MS } from '../../shared/model/time.ts';

describe('a rate limit', () => {
  it('never allows more calls than the burst, and one for each interval', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(waits, (waitsMs) => {
        const limit = createRateLimit(1000, 5);
        let now = 0;
        let allowed = 0;
        for (const waitMs of waitsMs) {
          now += waitMs;
          if (limit.tryTake(now)) allowed += 1;
        }
        expect(allowed).toBeLessThanOrEqual(5 + now / 1000);
      }),
    );
  });

  it('lets a deletion cost be changed each second', () => {
    const limit = createDeletionCostLimit();
    let allowed = 0;
    for (let at = 0; at < HOUR_MS; at += SECOND_MS / 10) if (limit.tryTake(at)) allowed += 1;

    expect(allowed).toBe(60 + 3600 - 1);
  });
});
