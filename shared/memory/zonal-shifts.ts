import type { ShiftedZone } from '../model/offerings/zones.ts';
import type { EpochMs } from '../model/time.ts';
import type { ShiftAnswer, ShiftSource, ZonalShifts } from '../ports/cloud.ts';

export function memoryZonalShifts(): ZonalShifts {
  let zones: readonly ShiftedZone[] = [];

  return {
    list: async (now) => zones.filter(({ until }) => until > now),
    async replace(next) {
      const before = zones;
      zones = next;
      return before;
    },
  };
}

/** A source that says what it was told to say. */
export interface MemoryShiftSource extends ShiftSource {
  shift(zoneId: string, until: EpochMs): void;
  end(zoneId: string): void;
  /** From now on it gives this answer, whatever is shifted; absent: its own again. */
  answer(answer?: ShiftAnswer): void;
}

export function memoryShiftSource(): MemoryShiftSource {
  const ends = new Map<string, EpochMs>();
  let fixed: ShiftAnswer | undefined;

  return {
    async ask(now) {
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
