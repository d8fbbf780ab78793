import { hashWithSeed } from '../../model/hash.ts';
import { DAY_MS, type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type {
  KeyRange,
  PlanningAttempt,
  PlanningState,
  SetAsideSubject,
} from '../../ports/planning-state.ts';

/** The first pause of a subject that is set aside; it doubles with each failure. */
const MIN_PAUSE_MS = 10 * MINUTE_MS;
const MAX_PAUSE_MS = DAY_MS;

const EVERY_KEY: KeyRange = { from: '' };

export const NO_SUSPECTS: PlanningState = { suspects: [], areOthersPlanned: false, setAside: [] };

/** The key of a subject. All keys have the same length, and are spread evenly. */
export const toSubjectKey = (identity: string): string =>
  [1, 2].map((seed) => hashWithSeed(identity, seed).toString(16).padStart(8, '0')).join('');

/** True if every subject may be planned: no attempt is open, and none is suspected or set aside. */
export const isUnsuspicious = ({ attempt, suspects, setAside }: PlanningState): boolean =>
  attempt === undefined && suspects.length === 0 && setAside.length === 0;

/** The part of a subject in an attempt. */
export type SubjectRole = 'planned' | 'deferred' | 'set-aside';

export interface StartedAttempt {
  /** The state to store before the attempt. */
  readonly state: PlanningState;
  /** The attempt before, if it did not end. */
  readonly unfinished?: PlanningAttempt;
  /** The subject that is set aside because of it. */
  readonly newlySetAside?: SetAsideSubject;
  roleOf(key: string): SubjectRole;
}

/**
 * Decides which subjects the next attempt plans. Suspects and others are never planned together, so
 * that an attempt that does not end says something about one of the two.
 *
 * @param before - its attempt, if there is one, did not end
 * @param keys - of all subjects; not needed if `before` is unsuspicious
 */
export function startAttempt(
  before: PlanningState,
  keys: readonly string[],
  now: EpochMs,
): StartedAttempt {
  const sortedKeys = [...new Set(keys)].toSorted();
  const { state, newlySetAside } = countUnfinished(before, now);
  const setAside = state.setAside.filter(
    ({ key, until }) => now < until + DAY_MS || sortedKeys.includes(key),
  );
  const paused = new Set(setAside.flatMap(({ key, until }) => (now < until ? [key] : [])));
  const waiting = sortedKeys.filter((key) => !paused.has(key));
  const suspects = [...state.suspects, ...listRetries(setAside, state.suspects, now)].filter(
    (range) => waiting.some((key) => isWithin(key, range)),
  );
  const isSuspect = (key: string): boolean => suspects.some((range) => isWithin(key, range));

  const areOthersNext = !state.areOthersPlanned && !waiting.every(isSuspect);
  const [first] = suspects;
  const attempt: PlanningAttempt =
    first === undefined || areOthersNext
      ? { startedAt: now }
      : { startedAt: now, ...halve(first, waiting) };
  const { suspects: planned } = attempt;
  return {
    state: { ...state, suspects, setAside, attempt },
    ...(before.attempt && { unfinished: before.attempt }),
    ...(newlySetAside && { newlySetAside }),
    roleOf(key) {
      if (paused.has(key)) return 'set-aside';
      const isPlanned = planned ? isWithin(key, planned) : !isSuspect(key);
      return isPlanned ? 'planned' : 'deferred';
    },
  };
}

/** The state after the attempt has led to a plan. */
export function endAttempt({ attempt, ...state }: PlanningState): PlanningState {
  const { suspects: planned, only } = attempt ?? {};
  if (!planned) return { ...state, areOthersPlanned: state.suspects.length > 0 };
  const suspects = state.suspects.flatMap((range) =>
    isWithin(planned.from, range) ? listRemainder(range, planned) : [range],
  );
  const { confirming: _, ...rest } = state;
  return {
    ...rest,
    suspects,
    areOthersPlanned: false,
    setAside: state.setAside.filter(({ key }) => key !== only),
  };
}

/** The state after the attempt has stopped before its plan: it says nothing about its subjects. */
export const cancelAttempt = ({ attempt: _, ...state }: PlanningState): PlanningState => state;

interface CountedState {
  readonly state: Omit<PlanningState, 'attempt'>;
  readonly newlySetAside?: SetAsideSubject;
}

/** True if planning the subject may end the planner, as far as earlier attempts have shown. */
export const isUnderSuspicion = (key: string, { suspects, setAside }: PlanningState): boolean =>
  suspects.some((range) => isWithin(key, range)) || setAside.some((subject) => subject.key === key);

/** Draws the conclusion from an attempt that did not end. */
function countUnfinished({ attempt, ...state }: PlanningState, now: EpochMs): CountedState {
  if (!attempt) return { state };
  const { suspects: planned, only } = attempt;
  if (!planned) {
    // One of the others ends the planner. Each range between the suspects is searched.
    const suspects = [...state.suspects, ...listGaps(state.suspects)];
    return { state: { ...state, suspects, areOthersPlanned: true } };
  }
  const isSuspected = (range: KeyRange): boolean => isWithin(planned.from, range);
  const suspects = state.suspects.map((range) => (isSuspected(range) ? planned : range));
  const narrowed = { ...state, suspects, areOthersPlanned: false };
  if (only === undefined) return { state: narrowed };
  // A process may also end for another reason, so that one failure is no proof.
  if (state.confirming !== only) return { state: { ...narrowed, confirming: only } };

  const failures = (state.setAside.find(({ key }) => key === only)?.failures ?? 0) + 1;
  const pauseMs = Math.min(MIN_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
  const newlySetAside = { key: only, failures, until: now + pauseMs };
  const { confirming: _, ...confirmed } = narrowed;
  return {
    newlySetAside,
    state: {
      ...confirmed,
      suspects: state.suspects.filter((range) => !isSuspected(range)),
      setAside: [...state.setAside.filter(({ key }) => key !== only), newlySetAside],
    },
  };
}

/** A subject whose pause has ended is suspected alone, and is planned after all others. */
const listRetries = (
  setAside: readonly SetAsideSubject[],
  suspects: readonly KeyRange[],
  now: EpochMs,
): readonly KeyRange[] =>
  setAside
    .filter(({ key, until }) => until <= now && !suspects.some((range) => isWithin(key, range)))
    .map(({ key }) => rangeOf(key));

/** Chooses the first half of the range's subjects, or its only one. */
function halve(range: KeyRange, waiting: readonly string[]): Omit<PlanningAttempt, 'startedAt'> {
  const keys = waiting.filter((key) => isWithin(key, range));
  const half = Math.ceil(keys.length / 2);
  const [first] = keys;
  const next = keys[half];
  const suspects = next === undefined ? range : { from: range.from, to: next };
  return { suspects, ...(half === 1 && first !== undefined && { only: first }) };
}

/** All keys have the same length, so that no other key is between a key and this end. */
const rangeOf = (key: string): KeyRange => ({ from: key, to: `${key}~` });

const isWithin = (key: string, { from, to }: KeyRange): boolean =>
  key >= from && (to === undefined || key < to);

const listRemainder = ({ to: end }: KeyRange, { to }: KeyRange): readonly KeyRange[] =>
  to === undefined || to === end ? [] : [end === undefined ? { from: to } : { from: to, to: end }];

/** The ranges between the given ones. */
function listGaps(ranges: readonly KeyRange[]): readonly KeyRange[] {
  const gaps: KeyRange[] = [];
  let from: string | undefined = EVERY_KEY.from;
  for (const range of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (from !== undefined && from < range.from) gaps.push({ from, to: range.from });
    from = range.to;
  }
  return from === undefined ? gaps : [...gaps, { from }];
}
