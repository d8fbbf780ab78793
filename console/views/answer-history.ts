import { getOrCreate } from '../../shared/model/memo.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import type { DecisionView } from '../views.ts';

interface Dated {
  readonly decision: DecisionView;
}

interface Entry<T> {
  /** The first decision that gave this answer. */
  readonly since: EpochMs;
  readonly answer: T;
}

/** The answers of decisions about objects, each with the time from which it applied. */
export interface AnswerHistory<T extends Dated> {
  add(name: string, answer: T): void;
  /** The answer at a moment; the newest by default. */
  at(name: string, at?: EpochMs): T | undefined;
  /**
   * Removes answers that were replaced before a moment, and those about objects gone by then.
   *
   * @param live - the objects that exist now
   */
  forget(before: EpochMs, live: ReadonlySet<string>, now: EpochMs): void;
}

/** Decisions repeat each minute; more changes of one object are not kept. */
const MAX_PER_OBJECT = 30;

/**
 * @param isSame - true if the later answer says the same, so that it replaces the earlier one
 */
export function answerHistory<T extends Dated>(isSame: (earlier: T, later: T) => boolean): AnswerHistory<T> {
  const byName = new Map<string, Entry<T>[]>();
  const goneAt = new Map<string, EpochMs>();

  return {
    add(name, answer) {
      const entries = getOrCreate(byName, name, () => []);
      const last = entries.at(-1);
      const repeats = last !== undefined && isSame(last.answer, answer);
      if (repeats) entries.pop();
      entries.push({ since: repeats ? last.since : answer.decision.at, answer });
      if (entries.length > MAX_PER_OBJECT) entries.shift();
    },
    at(name, at = Number.POSITIVE_INFINITY) {
      return byName.get(name)?.findLast(({ since }) => since <= at)?.answer;
    },
    forget(before, live, now) {
      for (const name of live) goneAt.delete(name);
      for (const [name, entries] of byName) {
        const current = entries.findLastIndex(({ since }) => since <= before);
        if (current > 0) entries.splice(0, current);
        if (live.has(name) || getOrCreate(goneAt, name, () => now) >= before) continue;
        byName.delete(name);
        goneAt.delete(name);
      }
    },
  };
}
