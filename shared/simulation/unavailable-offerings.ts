import type { OfferingPart, UnavailableOffering } from '../model/instance-type.ts';
import { forgottenAt, markShort, type Shortage, shortageKey } from '../model/shortages.ts';
import type { LearnedSizes, UnavailableOfferings } from '../ports/learned-state.ts';
import { type LearnedSize, leastSize, SIZE_KEPT_MS, sizeKey } from '../model/learned-sizes.ts';
import type { EpochMs } from '../model/time.ts';

interface Remembered {
  readonly part: OfferingPart;
  readonly shortage: Shortage;
}

const toUnavailable = ({ part, shortage }: Remembered): UnavailableOffering => ({
  ...part,
  until: shortage.until,
});

export function simUnavailableOfferings(): UnavailableOfferings {
  const known = new Map<string, Remembered>();

  return {
    async list(now) {
      for (const [key, { shortage }] of known) {
        if (forgottenAt(shortage) <= now) known.delete(key);
      }
      return [...known.values()].filter(({ shortage }) => shortage.until > now).map(toUnavailable);
    },
    async mark(dry, now) {
      return dry.map((part) => {
        const key = shortageKey(part);
        const remembered = { part, shortage: markShort(known.get(key)?.shortage, now) };
        known.set(key, remembered);
        return toUnavailable(remembered);
      });
    },
  };
}

export function simLearnedSizes(): LearnedSizes {
  const known = new Map<string, { readonly size: LearnedSize; readonly until: EpochMs }>();

  return {
    list: async (now) =>
      [...known.values()].filter(({ until }) => until > now).map(({ size }) => size),
    async learn(seen, now) {
      const key = sizeKey(seen);
      const before = known.get(key);
      const size = before && before.until > now ? leastSize(before.size, seen) : seen;
      known.set(key, { size, until: now + SIZE_KEPT_MS });
    },
  };
}
