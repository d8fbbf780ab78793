import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../shared/model/time.ts';
import type { ZonalShifts } from '../../shared/ports/cloud.ts';
import { NOON } from '../support/builders.ts';

/**
 * The contract of every ZonalShifts.
 *
 * @param create - an empty store for each test
 */
export function zonalShiftsContract(adapter: string, create: () => Promise<ZonalShifts>): void {
  describe(`ZonalShifts: ${adapter}`, () => {
    const A = { zone: 'us-east-1a', zoneId: 'use1-az1', until: NOON + HOUR_MS };
    const B = { zone: 'us-east-1b', zoneId: 'use1-az2', until: NOON + 2 * HOUR_MS };

    it('lists nothing before the first answer', async () => {
      expect(await (await create()).list(NOON)).toEqual([]);
    });

    it('lists the shifts of the last answer until their ends', async () => {
      const shifts = await create();
      await shifts.replace([A, B]);

      expect(await shifts.list(A.until - 1)).toEqual([A, B]);
      expect(await shifts.list(A.until)).toEqual([B]);
      expect(await shifts.list(B.until)).toEqual([]);
    });

    it('drops shifts at once that a newer answer does not contain', async () => {
      const shifts = await create();
      await shifts.replace([A, B]);
      await shifts.replace([B]);

      expect(await shifts.list(NOON)).toEqual([B]);
    });

    it('returns the replaced list, including shifts that are over, once', async () => {
      const shifts = await create();

      expect(await shifts.replace([A])).toEqual([]);
      expect(await shifts.replace([A])).toEqual([A]);
      expect(await shifts.replace([])).toEqual([A]);
      expect(await shifts.replace([])).toEqual([]);
    });

    it('reports the news to one of several callers that store the same list at once', async () => {
      const shifts = await create();
      const before = await Promise.all([1, 2, 3].map(() => shifts.replace([A])));

      expect(before.filter((zones) => zones.length === 0)).toHaveLength(1);
    });
  });
}
