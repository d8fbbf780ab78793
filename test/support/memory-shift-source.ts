import type { EpochMs } from '../../shared/model/time.ts';
import type { ShiftSource, ZonalShiftResult } from '../../shared/ports/cloud.ts';

/** A source of zonal shifts whose answers a test sets. */
export interface MemoryShiftSource extends ShiftSource {
  shift(zoneId: string, until: EpochMs): void;
  end(zoneId: string): void;
  /** Fixes the answer, whatever is shifted; `undefined` brings the usual answer back. */
  answer(answer?: ZonalShiftResult): void;
}

export function memoryShiftSource(): MemoryShiftSource {
  const ends = new Map<string, EpochMs>();
  let fixed: ZonalShiftResult | undefined;

  return {
    async findShifts(now) {
      const shifts = [...ends].map(([zoneId, until]) => ({ zoneId, until }));
      return fixed ?? { outcome: 'told', shifts: shifts.filter(({ until }) => until > now) };
    },
    shift(zoneId, until) {
      ends.set(zoneId, until);
    },
    end(zoneId) {
      ends.delete(zoneId);
    },
    answer(answer) {
      fixed = answer;
    },
  };
}
