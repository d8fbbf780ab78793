import { type LearnedSize, leastSize, SIZE_KEPT_MS, sizeKey } from '../model/learned-sizes.ts';
import type { EpochMs } from '../model/time.ts';
import type { LearnedSizes } from '../ports/learned-sizes.ts';

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
