import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  endAttempt,
  isUnsuspicious,
  NO_SUSPECTS,
  startAttempt,
} from '../../../shared/controllers/planning-attempts/bisect.ts';
import { SEARCH_LIMITS } from '../../../shared/controllers/planning-attempts/planning-attempt.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { Planner, PlanningState } from '../../../shared/ports/planning-state.ts';
import { NOON } from '../../support/builders.ts';

const toKeys = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => index.toString(16).padStart(4, '0'));

interface Searched {
  readonly state: PlanningState;
  /** The subjects of each attempt, with `!` after those of an attempt that did not end. */
  readonly attempts: readonly string[];
}

/** Makes attempts until the planner pauses, or until one plans all subjects that are not set aside. */
function search(
  keys: readonly string[],
  isFatal: (planned: readonly string[]) => boolean,
  { planner = 'disruption' as Planner, before = NO_SUSPECTS as PlanningState, now = NOON as number } = {},
): Searched {
  let state = before;
  const attempts: string[] = [];
  while (attempts.length < 1000) {
    const started = startAttempt(state, keys, now, SEARCH_LIMITS[planner]);
    if (started.pause) return { state: started.state, attempts };
    const planned = keys.filter((key) => started.roleOf(key) === 'planned');
    const ends = !isFatal(planned);
    attempts.push(`${planned.join(' ')}${ends ? '' : '!'}`);
    state = ends ? endAttempt(started.state) : started.state;
    if (ends && state.suspects.length === 0) return { state, attempts };
  }
  throw new Error('the search does not end');
}

const always = (): boolean => true;
const withSubjects = (planned: readonly string[]): boolean => planned.length > 0;

describe('a planner that ends also without subjects', () => {
  it.each(['provisioning', 'disruption'] as const)(
    'pauses after two attempts with subjects and two without: %s',
    (planner) => {
      const { state, attempts } = search(toKeys(4), always, { planner });

      expect(attempts).toEqual(['0000 0001 0002 0003!', '0000 0001!', '!', '!']);
      expect(state).toMatchObject({ setAside: [], pause: { until: NOON + 10 * MINUTE_MS } });
    },
  );

  it.each([1, 2, 3, 64])('blames none of %d subjects', (count) => {
    const { state, attempts } = search(toKeys(count), always);

    expect(state.setAside).toEqual([]);
    expect(attempts).toHaveLength(4);
  });

  it('does not pause after a single attempt without subjects that did not end', () => {
    let attempts = 0;
    const { state } = search(toKeys(8), () => {
      attempts += 1;
      return attempts <= 3;
    });

    expect(isUnsuspicious(state)).toBe(true);
  });

  it('makes one attempt after each pause, and pauses for twice the time, up to an hour', () => {
    const first = search(toKeys(8), always).state;
    const lengths: number[] = [];
    let state = first;
    for (let count = 0; count < 4; count += 1) {
      const now = state.pause?.until ?? 0;
      const next = search(toKeys(8), always, { before: state, now });
      expect(next.attempts).toEqual(['!']);
      state = next.state;
      lengths.push((state.pause?.until ?? 0) - now);
    }

    expect(lengths).toEqual([20 * MINUTE_MS, 40 * MINUTE_MS, HOUR_MS, HOUR_MS]);
  });

  it('plans everything again once the defect is gone', () => {
    const { state: before } = search(toKeys(8), always);
    const now = before.pause?.until ?? 0;
    const { state, attempts } = search(toKeys(8), () => false, { before, now });

    expect(isUnsuspicious(state)).toBe(true);
    expect(attempts.length).toBeLessThanOrEqual(7);
  });

  it('begins no attempt, and changes nothing, during a pause', () => {
    const { state } = search(toKeys(8), always);
    const limits = SEARCH_LIMITS.disruption;
    const started = startAttempt(state, toKeys(8), NOON + MINUTE_MS, limits);

    expect(started.state).toEqual(state);
    expect(started.isPauseNew).toBe(false);
    expect(toKeys(8).map(started.roleOf)).toEqual(toKeys(8).map(() => 'deferred'));
  });
});

describe('a planner that ends whichever subjects it plans', () => {
  it('pauses after six attempts, and sets none of many subjects aside', () => {
    const { state, attempts } = search(toKeys(64), withSubjects);

    expect(attempts.filter((attempt) => attempt.endsWith('!'))).toHaveLength(6);
    expect(attempts.filter((attempt) => attempt === '')).toHaveLength(1);
    expect(state).toMatchObject({ setAside: [], pause: { failures: 1 } });
  });

  it('does not pause if it plans pods: their subjects are set aside', () => {
    const { state } = search(toKeys(8), withSubjects, { planner: 'provisioning' });

    expect(state.pause).toBeUndefined();
    expect(state.setAside).toHaveLength(8);
  });

  it('tries other suspects after each pause, until it finds the one that does not end it', () => {
    const keys = toKeys(4);
    const isFatal = (planned: readonly string[]) => planned.some((key) => key !== '0003');
    let state: PlanningState = NO_SUSPECTS;
    let now: number = NOON;
    const attempts: string[] = [];
    for (let count = 0; count < 40 && !attempts.includes('0003'); count += 1) {
      const next = search(keys, isFatal, { before: state, now });
      attempts.push(...next.attempts);
      state = next.state;
      now = state.pause?.until ?? now;
    }

    expect(attempts).toContain('0003');
  });
});

describe('a planner that one or two subjects end', () => {
  it('never pauses, and makes an attempt without subjects that ends', () => {
    const aCluster = fc
      .integer({ min: 3, max: 100 })
      .chain((count) =>
        fc.tuple(fc.constant(toKeys(count)), fc.subarray([...toKeys(count)], { minLength: 1, maxLength: 2 })),
      );
    fc.assert(
      fc.property(aCluster, ([keys, culprits]) => {
        const isFatal = (planned: readonly string[]) => planned.some((key) => culprits.includes(key));
        const { state } = search(keys, isFatal);

        expect(state.pause).toBeUndefined();
        expect(state.setAside.map(({ key }) => key).toSorted()).toEqual(culprits);
      }),
    );
  });
});
