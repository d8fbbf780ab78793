import { describe, expect, it } from 'vitest';
import { type EpochMs, HOUR_MS } from '../../shared/model/time.ts';
import type { ShiftSource } from '../../shared/ports/cloud.ts';
import { NOON } from '../support/builders.ts';

interface Shifting {
  readonly source: ShiftSource;
  /** Repeated calls change the end. */
  readonly shift: (zoneId: string, until: EpochMs) => void;
  readonly end: (zoneId: string) => void;
  readonly unregister: () => void;
  /** Makes the following calls fail. */
  readonly fail: () => void;
}

/**
 * The contract of every ShiftSource.
 *
 * @param create - a cluster without zonal shifts
 */
export function shiftSourceContract(adapter: string, create: () => Promise<Shifting>): void {
  describe(`ShiftSource: ${adapter}`, () => {
    const reported = (...shifts: readonly (readonly [zoneId: string, until: EpochMs])[]) => ({
      outcome: 'told',
      shifts: shifts.map(([zoneId, until]) => ({ zoneId, until })),
    });

    it('returns no shift if there is none', async () => {
      const { source } = await create();

      expect(await source.findShifts(NOON)).toEqual(reported());
    });

    it('returns each shifted zone until its end', async () => {
      const { source, shift } = await create();
      shift('use1-az1', NOON + HOUR_MS);
      shift('use1-az2', NOON + 2 * HOUR_MS);

      expect(await source.findShifts(NOON)).toEqual(
        reported(['use1-az1', NOON + HOUR_MS], ['use1-az2', NOON + 2 * HOUR_MS]),
      );
      expect(await source.findShifts(NOON + HOUR_MS)).toEqual(reported(['use1-az2', NOON + 2 * HOUR_MS]));
    });

    it('drops a shift that was cancelled, and returns the new end of an extended one', async () => {
      const { source, shift, end } = await create();
      shift('use1-az1', NOON + HOUR_MS);
      shift('use1-az2', NOON + HOUR_MS);
      end('use1-az1');
      shift('use1-az2', NOON + 3 * HOUR_MS);

      expect(await source.findShifts(NOON)).toEqual(reported(['use1-az2', NOON + 3 * HOUR_MS]));
    });

    it('reports that the cluster is not registered', async () => {
      const { source, unregister } = await create();
      unregister();

      expect(await source.findShifts(NOON)).toEqual({ outcome: 'not-registered' });
    });

    it('reports why the shifts are unknown, and never returns an empty list instead', async () => {
      const { source, fail } = await create();
      fail();

      const answer = await source.findShifts(NOON);
      expect(answer.outcome === 'unknown' && answer.why).toBeTypeOf('string');
    });
  });
}
