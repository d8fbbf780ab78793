import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';

/** Launches of one plan ask for the same within moments of it; a large plan takes two seconds. */
const RECENT_MS = 3 * SECOND_MS;

/** A question with a key, and the last answer to each. */
export interface RecentAnswers<T> {
  /** Asks now. */
  fresh(key: string): Promise<T>;
  /** The last answer, if it was asked for a moment ago; also while it is on its way. */
  recent(key: string): Promise<T>;
  /** Something has changed: all is asked for again. */
  forget(): void;
}

/** @param ask - of few keys: the last answer to each is kept */
export function recentAnswers<T>(
  ask: (key: string) => Promise<T>,
  { now }: Clock,
): RecentAnswers<T> {
  const last = new Map<string, { readonly at: EpochMs; readonly answer: Promise<T> }>();

  function fresh(key: string): Promise<T> {
    const entry = { at: now(), answer: ask(key) };
    last.set(key, entry);
    entry.answer.catch(() => {
      if (last.get(key) === entry) last.delete(key);
    });
    return entry.answer;
  }

  return {
    fresh,
    recent(key) {
      const known = last.get(key);
      return known && now() < known.at + RECENT_MS ? known.answer : fresh(key);
    },
    forget: () => last.clear(),
  };
}
