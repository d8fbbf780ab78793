import { describe, expect, it } from 'vitest';
import { type EpochMs, HOUR_MS } from '../../shared/model/time.ts';
import type { ShiftSource } from '../../shared/ports/cloud.ts';
import { NOON } from '../support/builders.ts';

interface Shifting {
  readonly source: ShiftSource;
  /** Again: another end. */
  readonly shift: (zoneId: string, until: EpochMs) => void;
  readonly end: (zoneId: string) => void;
  readonly unregister: () => void;
  /** It cannot be asked from now on. */
  readonly fail: () => void;
}

/** What everybody promises who is asked for zonal shifts. @param create - nothing is shifted yet */
export function shiftSourceContract(adapter: string, create: () => Promise<Shifting>): void {
  describe(`ShiftSource: ${adapter}`, () => {
    const told = (...shifts: readonly (readonly [zoneId: string, until: EpochMs])[]) => ({
      outcome: 'told',
      shifts: shifts.map(([zoneId, until]) => ({ zoneId, until })),
    });

    it('tells of no shift where there is none', async () => {
      const { source } = await create();

      expect(await source.findShifts(NOON)).toEqual(told());
    });

    it('tells of each zone that is shifted away from, as long as its end is to come', async () => {
      const { source, shift } = await create();
      shift('use1-az1', NOON + HOUR_MS);
      shift('use1-az2', NOON + 2 * HOUR_MS);

      expect(await source.findShifts(NOON)).toEqual(
        told(['use1-az1', NOON + HOUR_MS], ['use1-az2', NOON + 2 * HOUR_MS]),
      );
      expect(await source.findShifts(NOON + HOUR_MS)).toEqual(told(['use1-az2', NOON + 2 * HOUR_MS]));
    });

    it('tells no more of a shift that was ended, and of one that was prolonged its new end', async () => {
      const { source, shift, end } = await create();
      shift('use1-az1', NOON + HOUR_MS);
      shift('use1-az2', NOON + HOUR_MS);
      end('use1-az1');
      shift('use1-az2', NOON + 3 * HOUR_MS);

      expect(await source.findShifts(NOON)).toEqual(told(['use1-az2', NOON + 3 * HOUR_MS]));
    });

    it('says that the cluster is not registered', async () => {
      const { source, unregister } = await create();
      unregister();

      expect(await source.findShifts(NOON)).toEqual({ outcome: 'not-registered' });
    });

    it('says why it does not know, and never that nothing is shifted', async () => {
      const { source, fail } = await create();
      fail();

      const answer = await source.findShifts(NOON);
      expect(answer.outcome === 'unknown' && answer.why).toBeTypeOf('string');
    });
  });
}
