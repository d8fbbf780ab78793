import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  endAttempt,
  isUnsuspicious,
  NO_SUSPECTS,
  type StartedAttempt,
  startAttempt as startLimitedAttempt,
} from '../../../shared/controllers/planning-attempts/bisect.ts';
import { SEARCH_LIMITS } from '../../../shared/controllers/planning-attempts/planning-attempt.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { PlanningState } from '../../../shared/ports/planning-state.ts';
import { NOON } from '../../support/builders.ts';

const startAttempt = (before: PlanningState, keys: readonly string[], now: number): StartedAttempt =>
  startLimitedAttempt(before, keys, now, SEARCH_LIMITS.provisioning);

interface Search {
  readonly state: PlanningState;
  /** The subjects of each attempt that led to a plan, and of each that did not. */
  readonly planned: readonly (readonly string[])[];
  readonly unfinished: readonly (readonly string[])[];
}

/** Makes attempts until one plans all subjects that are not set aside. */
function search(
  keys: readonly string[],
  isFatal: (planned: readonly string[]) => boolean,
  { before = NO_SUSPECTS, now = NOON, bind = true } = {},
): Search {
  let state = before;
  let waiting = keys;
  const planned: (readonly string[])[] = [];
  const unfinished: (readonly string[])[] = [];
  while (planned.length + unfinished.length < 10_000) {
    const started = startAttempt(state, waiting, now);
    const batch = waiting.filter((key) => started.roleOf(key) === 'planned');
    if (isFatal(batch)) {
      unfinished.push(batch);
      state = started.state;
      continue;
    }
    planned.push(batch);
    if (bind) waiting = waiting.filter((key) => !batch.includes(key));
    state = endAttempt(started.state);
    if (state.suspects.length === 0) return { state, planned, unfinished };
  }
  throw new Error('the search does not end');
}

const toKeys = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => index.toString(16).padStart(4, '0'));

const aPlan = fc.integer({ min: 1, max: 100 }).chain((count) =>
  fc.record({
    keys: fc.constant(toKeys(count)),
    culprits: fc.subarray([...toKeys(count)], { maxLength: Math.min(count, 5) }),
    bind: fc.boolean(),
  }),
);

describe('the search for subjects that end the planner', () => {
  it('sets aside exactly the culprits, and plans every other subject', () => {
    fc.assert(
      fc.property(aPlan, ({ keys, culprits, bind }) => {
        const isFatal = (batch: readonly string[]) => batch.some((key) => culprits.includes(key));
        const { state, planned } = search(keys, isFatal, { bind });

        expect(state.setAside.map(({ key }) => key).toSorted()).toEqual(culprits);
        expect([...new Set(planned.flat())].toSorted()).toEqual(keys.filter((key) => !culprits.includes(key)));
      }),
    );
  });

  it('needs about as many failed attempts as bisecting does, for each culprit', () => {
    fc.assert(
      fc.property(aPlan, ({ keys, culprits, bind }) => {
        const isFatal = (batch: readonly string[]) => batch.some((key) => culprits.includes(key));
        const { planned, unfinished } = search(keys, isFatal, { bind });

        const steps = Math.ceil(Math.log2(keys.length)) + 1;
        expect(unfinished.length).toBeLessThanOrEqual(culprits.length * (steps + 3));
        expect(planned.length).toBeLessThanOrEqual(1 + culprits.length * (4 * steps + 6));
      }),
    );
  });

  it('plans the other subjects between any two attempts with suspects', () => {
    fc.assert(
      fc.property(aPlan, ({ keys, culprits }) => {
        let state = NO_SUSPECTS;
        let wereSuspectsPlanned = false;
        for (let attempts = 0; attempts < 40; attempts += 1) {
          const { state: next, roleOf } = startAttempt(state, keys, NOON);
          const batch = keys.filter((key) => roleOf(key) === 'planned');
          const areSuspects = next.attempt?.suspects !== undefined;
          const haveOthers = keys.some((key) => roleOf(key) === 'deferred' && !isSuspect(key, next));
          expect(areSuspects && wereSuspectsPlanned && haveOthers).toBe(false);
          wereSuspectsPlanned = areSuspects;
          state = batch.some((key) => culprits.includes(key)) ? next : endAttempt(next);
        }
      }),
    );
  });

  it('suspects no subject after an attempt that ended for another reason', () => {
    let hasFailed = false;
    const { state, planned } = search(toKeys(8), () => {
      const fails = !hasFailed;
      hasFailed = true;
      return fails;
    });

    expect(state.setAside).toEqual([]);
    expect(planned.flat().toSorted()).toEqual(toKeys(8));
  });

  it('does not set aside two subjects that end the planner only together', () => {
    const [first = '', second = ''] = toKeys(2);
    const { state } = search(toKeys(9), (batch) => batch.includes(first) && batch.includes(second));

    expect(state.setAside).toEqual([]);
  });

  it('finds a culprit that comes while another is searched', () => {
    const keys = toKeys(16);
    const isFatal = (batch: readonly string[]) => batch.includes('0003') || batch.includes('0009');
    const first = startAttempt(NO_SUSPECTS, keys.slice(0, 8), NOON).state;
    const { state } = search(keys, isFatal, { before: first });

    expect(state.setAside.map(({ key }) => key).toSorted()).toEqual(['0003', '0009']);
  });

  it('forgets suspects that are gone', () => {
    const { state: first } = startAttempt(NO_SUSPECTS, toKeys(4), NOON);
    const { state } = startAttempt(first, [], NOON);

    expect(isUnsuspicious(endAttempt(state))).toBe(true);
  });
});

const isSuspect = (key: string, { suspects }: PlanningState): boolean =>
  suspects.some(({ from, to }) => from <= key && (to === undefined || key < to));

describe('a subject that is set aside', () => {
  const setAside = search(['0001'], (batch) => batch.length > 0).state;

  it('was planned alone twice', () => {
    const { unfinished } = search(['0001'], (batch) => batch.length > 0);

    // The first of the three attempts planned all subjects.
    expect(unfinished).toEqual([['0001'], ['0001'], ['0001']]);
  });

  it('is planned again after ten minutes, alone and after the others', () => {
    const keys = ['0001', '0002'];
    const early = startAttempt(setAside, keys, NOON + 10 * MINUTE_MS - 1);
    const others = startAttempt(setAside, keys, NOON + 10 * MINUTE_MS);
    const retry = startAttempt(endAttempt(others.state), keys, NOON + 10 * MINUTE_MS);

    expect(keys.map(early.roleOf)).toEqual(['set-aside', 'planned']);
    expect(keys.map(others.roleOf)).toEqual(['deferred', 'planned']);
    expect(keys.map(retry.roleOf)).toEqual(['planned', 'deferred']);
  });

  it('is no longer set aside once it has been planned', () => {
    const { state } = search(['0001'], () => false, {
      before: setAside,
      now: NOON + 10 * MINUTE_MS,
    });

    expect(isUnsuspicious(state)).toBe(true);
  });

  it('is planned again after twice the time if it fails again', () => {
    const now = NOON + 10 * MINUTE_MS;
    const { state } = search(['0001'], (batch) => batch.length > 0, { before: setAside, now });

    expect(state.setAside).toEqual([{ key: '0001', failures: 2, until: now + 20 * MINUTE_MS }]);
  });

  it('is forgotten a day after its time if it is gone', () => {
    const until = NOON + 10 * MINUTE_MS;

    expect(startAttempt(setAside, [], until + DAY_MS - 1).state.setAside).toHaveLength(1);
    expect(startAttempt(setAside, [], until + DAY_MS).state.setAside).toEqual([]);
  });
});
