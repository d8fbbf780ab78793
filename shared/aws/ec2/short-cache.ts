import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';

/** Launches of one plan need the same data within this time; a large plan takes two seconds. */
const MAX_AGE_MS = 3 * SECOND_MS;

/** A cache that holds each value for a few seconds. */
export interface ShortCache<T> {
  /** Loads the value now. */
  refresh(key: string): Promise<T>;
  /** Returns the last value if it is recent, including one that is still loading. */
  get(key: string): Promise<T>;
  /** Drops all values after a change. */
  clear(): void;
}

/**
 * @param load - used with few keys, because the last value of each key is kept
 */
export function createShortCache<T>(load: (key: string) => Promise<T>, { now }: Clock): ShortCache<T> {
  const entries = new Map<string, { readonly at: EpochMs; readonly value: Promise<T> }>();

  function refresh(key: string): Promise<T> {
    const entry = { at: now(), value: load(key) };
    entries.set(key, entry);
    entry.value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    return entry.value;
  }

  return {
    refresh,
    get(key) {
      const entry = entries.get(key);
      return entry && now() < entry.at + MAX_AGE_MS ? entry.value : refresh(key);
    },
    clear: () => entries.clear(),
  };
}
