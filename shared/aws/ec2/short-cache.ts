import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';

/** Launches of one plan ask for the same within moments of it; a large plan takes two seconds. */
const MAX_AGE_MS = 3 * SECOND_MS;

/** A question with a key, and the last answer to each. */
export interface ShortCache<T> {
  /** Asks now. */
  refresh(key: string): Promise<T>;
  /** The last answer, if it was asked for a moment ago; also while it is on its way. */
  get(key: string): Promise<T>;
  /** Something has changed: all is asked for again. */
  clear(): void;
}

/** @param load - of few keys: the last answer to each is kept */
export function createShortCache<T>(
  load: (key: string) => Promise<T>,
  { now }: Clock,
): ShortCache<T> {
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
