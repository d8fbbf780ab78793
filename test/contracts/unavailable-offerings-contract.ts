import { describe, expect, it } from 'vitest';
import type { UnavailableOfferings } from '../../shared/ports/unavailable-offerings.ts';
import { NOON } from '../support/builders.ts';

const SPOT = { instanceType: 'm7i.large', zone: 'us-east-1a', capacityType: 'spot' } as const;

/** What every memory of shortages keeps. @param create - an empty one for each test */
export function unavailableOfferingsContract(
  adapter: string,
  create: () => Promise<UnavailableOfferings>,
): void {
  describe(`UnavailableOfferings: ${adapter}`, () => {
    it('lists an offering until its time has come', async () => {
      const offerings = await create();

      await offerings.add([{ ...SPOT, until: NOON + 180_000 }]);

      expect(await offerings.list(NOON)).toEqual([{ ...SPOT, until: NOON + 180_000 }]);
      expect(await offerings.list(NOON + 180_000)).toEqual([]);
    });

    it('keeps the later end of one offering, whichever was written last', async () => {
      const offerings = await create();

      await offerings.add([{ ...SPOT, until: NOON + 180_000 }]);
      await offerings.add([{ ...SPOT, until: NOON + 60_000 }]);

      expect(await offerings.list(NOON)).toEqual([{ ...SPOT, until: NOON + 180_000 }]);
    });

    it('keeps apart what differs in type, zone or capacity type, absent ones included', async () => {
      const offerings = await create();
      const until = NOON + 180_000;
      const all = [
        { ...SPOT, until },
        { ...SPOT, zone: 'us-east-1b', until },
        { ...SPOT, capacityType: 'on-demand' as const, until },
        { zone: 'us-east-1a', until },
        { until },
      ];

      await offerings.add(all);

      const listed = await offerings.list(NOON);
      expect(new Set(listed)).toEqual(new Set(all));
      expect(listed).toHaveLength(all.length);
    });
  });
}
