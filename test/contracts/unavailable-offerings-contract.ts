import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import type { UnavailableOfferings } from '../../shared/ports/learned-state.ts';
import { NOON } from '../support/builders.ts';

const SPOT = { instanceType: 'm7i.large', zone: 'us-east-1a', capacityType: 'spot' } as const;

/**
 * The contract of every UnavailableOfferings.
 *
 * @param create - an empty store for each test
 */
export function unavailableOfferingsContract(adapter: string, create: () => Promise<UnavailableOfferings>): void {
  describe(`UnavailableOfferings: ${adapter}`, () => {
    it('lists an offering for three minutes', async () => {
      const offerings = await create();
      const until = NOON + 3 * MINUTE_MS;

      expect(await offerings.mark([SPOT], NOON)).toEqual([{ ...SPOT, until }]);

      expect(await offerings.list(NOON)).toEqual([{ ...SPOT, until }]);
      expect(await offerings.list(until - 1)).toEqual([{ ...SPOT, until }]);
      expect(await offerings.list(until)).toEqual([]);
    });

    it('doubles the time with each further shortage, up to half an hour', async () => {
      const offerings = await create();
      const minutes: number[] = [];
      let now = NOON;
      for (let times = 0; times < 6; times++) {
        const [mark] = await offerings.mark([SPOT], now);
        minutes.push(((mark?.until ?? now) - now) / MINUTE_MS);
        now = mark?.until ?? now;
      }

      expect(minutes).toEqual([3, 6, 12, 24, 30, 30]);
    });

    it('goes back one step for each quiet hour', async () => {
      const offerings = await create();
      let now = NOON;
      for (let times = 0; times < 4; times++) {
        const [mark] = await offerings.mark([SPOT], now);
        now = mark?.until ?? now;
      }

      const [mark] = await offerings.mark([SPOT], now + 2 * HOUR_MS);

      expect(mark?.until).toBe(now + 2 * HOUR_MS + 12 * MINUTE_MS);
    });

    it('counts another report during a shortage as the same shortage, which restarts', async () => {
      const offerings = await create();
      await offerings.mark([SPOT], NOON);
      const [mark] = await offerings.mark([SPOT], NOON + MINUTE_MS);

      expect(mark?.until).toBe(NOON + 4 * MINUTE_MS);
      expect(await offerings.list(NOON + MINUTE_MS)).toEqual([mark]);
    });

    it('keeps all of several marks at the same time', async () => {
      const offerings = await create();
      const zones = ['us-east-1a', 'us-east-1a', 'us-east-1b', 'us-east-1a'];
      await Promise.all(zones.map((zone) => offerings.mark([{ ...SPOT, zone }], NOON)));

      const until = NOON + 3 * MINUTE_MS;
      expect(new Set(await offerings.list(NOON))).toEqual(
        new Set([
          { ...SPOT, until },
          { ...SPOT, zone: 'us-east-1b', until },
        ]),
      );
    });

    it('separates offerings that differ in type, zone or capacity type, including undefined ones', async () => {
      const offerings = await create();
      const all = [
        SPOT,
        { ...SPOT, zone: 'us-east-1b' },
        { ...SPOT, capacityType: 'on-demand' as const },
        { capacityType: 'spot' as const },
        { zone: 'us-east-1a' },
        {},
      ];

      const marked = await offerings.mark(all, NOON);

      expect(marked).toEqual(all.map((part) => ({ ...part, until: NOON + 3 * MINUTE_MS })));
      const listed = await offerings.list(NOON);
      expect(new Set(listed)).toEqual(new Set(marked));
      expect(listed).toHaveLength(all.length);
    });
  });
}
