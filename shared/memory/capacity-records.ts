import { type LearnedSize, minSize, SIZE_KEPT_MS, sizeKey } from '../model/nodes/learned-sizes.ts';
import type { OfferingPart, UnavailableOffering } from '../model/offerings/instance-type.ts';
import { computeForgottenAt, markShort, type Shortage, shortageKey } from '../model/offerings/shortages.ts';
import type { ShiftedZone } from '../model/offerings/zones.ts';
import type { EpochMs } from '../model/time.ts';
import type { ZonalShifts } from '../ports/cloud.ts';
import type { LearnedSizes, UnavailableOfferings } from '../ports/learned-state.ts';

interface OfferingShortage {
  readonly part: OfferingPart;
  readonly shortage: Shortage;
}

const toUnavailable = ({ part, shortage }: OfferingShortage): UnavailableOffering => ({
  ...part,
  until: shortage.until,
});

export function memoryUnavailableOfferings(): UnavailableOfferings {
  const rows = new Map<string, OfferingShortage>();

  return {
    async list(now) {
      for (const [key, { shortage }] of rows) {
        if (computeForgottenAt(shortage) <= now) rows.delete(key);
      }
      return [...rows.values()].filter(({ shortage }) => shortage.until > now).map(toUnavailable);
    },
    async mark(parts, now) {
      return parts.map((part) => {
        const key = shortageKey(part);
        const marked = { part, shortage: markShort(rows.get(key)?.shortage, now) };
        rows.set(key, marked);
        return toUnavailable(marked);
      });
    },
  };
}

export function memoryLearnedSizes(): LearnedSizes {
  const rows = new Map<string, { readonly size: LearnedSize; readonly until: EpochMs }>();

  return {
    list: async (now) => [...rows.values()].filter(({ until }) => until > now).map(({ size }) => size),
    async learn(observed, now) {
      const key = sizeKey(observed);
      const before = rows.get(key);
      const size = before && before.until > now ? minSize(before.size, observed) : observed;
      rows.set(key, { size, until: now + SIZE_KEPT_MS });
    },
  };
}

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
