import { hashWithSeed } from '../../model/hash.ts';
import { DAY_MS, type EpochMs } from '../../model/time.ts';
import type {
  KeyRange,
  PlannerPause,
  PlanningAttempt,
  PlanningState,
  SetAsideSubject,
} from '../../ports/planning-state.ts';
import { isWithin, listRemainder, rangeOf } from './key-ranges.ts';
import { countUnfinished, mustLeaveOutAll, type SearchLimits } from './unfinished.ts';

export const NO_SUSPECTS: PlanningState = { suspects: [], areOthersPlanned: false, setAside: [] };

/** The key of a subject. All keys have the same length, and are spread evenly. */
export const toSubjectKey = (identity: string): string =>
  [1, 2].map((seed) => hashWithSeed(identity, seed).toString(16).padStart(8, '0')).join('');

/** True if every subject may be planned: every attempt has ended, and none is suspected or set aside. */
export const isUnsuspicious = (state: PlanningState): boolean =>
  state.attempt === undefined &&
  state.unfinished === undefined &&
  state.suspects.length === 0 &&
  state.setAside.length === 0 &&
  state.byPool === undefined;

/** The part of a subject in an attempt. */
export type SubjectRole = 'planned' | 'deferred' | 'set-aside';

export interface StartedAttempt {
  /** The state to store before the attempt. */
  readonly state: PlanningState;
  /** The attempt before, if it did not end. */
  readonly unfinished?: PlanningAttempt;
  /** The subject that is set aside because of it. */
  readonly newlySetAside?: SetAsideSubject;
  /** Set if the planner pauses: there is no attempt. */
  readonly pause?: PlannerPause;
  /** True if the pause begins because of the attempt before. */
  readonly isPauseNew: boolean;
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
  limits: SearchLimits,
): StartedAttempt {
  const sortedKeys = [...new Set(keys)].toSorted();
  const { state, newlySetAside, isPauseNew = false } = countUnfinished(before, now, limits);
  const setAside = state.setAside.filter(({ key, until }) => now < until + DAY_MS || sortedKeys.includes(key));
  const paused = new Set(setAside.flatMap(({ key, until }) => (now < until ? [key] : [])));
  const shared = {
    ...(before.attempt && { unfinished: before.attempt }),
    ...(newlySetAside && { newlySetAside }),
    isPauseNew,
  };
  if (state.pause && now < state.pause.until) {
    const roleOf = (key: string): SubjectRole => (paused.has(key) ? 'set-aside' : 'deferred');
    return { ...shared, state, pause: state.pause, roleOf };
  }
  const waiting = sortedKeys.filter((key) => !paused.has(key));
  const suspects = [...state.suspects, ...listRetries(setAside, state.suspects, now)].filter((range) =>
    waiting.some((key) => isWithin(key, range)),
  );
  const isSuspect = (key: string): boolean => suspects.some((range) => isWithin(key, range));

  const areOthersNext = !state.areOthersPlanned && !waiting.every(isSuspect);
  const [first] = suspects;
  const attempt: PlanningAttempt = {
    startedAt: now,
    ...(mustLeaveOutAll(state) ? { withoutSubjects: true } : first && !areOthersNext && halve(first, waiting)),
  };
  const { suspects: planned, withoutSubjects } = attempt;
  return {
    ...shared,
    state: { ...state, suspects, setAside, attempt },
    roleOf(key) {
      if (paused.has(key)) return 'set-aside';
      if (withoutSubjects) return 'deferred';
      const isPlanned = planned ? isWithin(key, planned) : !isSuspect(key);
      return isPlanned ? 'planned' : 'deferred';
    },
  };
}

/** The state after the attempt has led to a plan. */
export function endAttempt({ attempt, ...before }: PlanningState): PlanningState {
  const { suspects: planned, only, withoutSubjects } = attempt ?? {};
  if (withoutSubjects) return { ...before, endsWithoutSubjects: true };
  const { unfinished: _unfinished, endsWithoutSubjects: _ends, pause: _pause, ...state } = before;
  if (!planned) return returnToClaims({ ...state, areOthersPlanned: state.suspects.length > 0 });
  const suspects = state.suspects.flatMap((range) =>
    isWithin(planned.from, range) ? listRemainder(range, planned) : [range],
  );
  const { confirming: _, ...rest } = state;
  return returnToClaims({
    ...rest,
    suspects,
    areOthersPlanned: false,
    setAside: state.setAside.filter(({ key }) => key !== only),
  });
}

/** NodeClaims are the subjects again once no NodePool is suspected or set aside. */
function returnToClaims({ byPool, ...state }: PlanningState): PlanningState {
  const isSearching = state.suspects.length > 0 || state.setAside.some(({ isPool }) => isPool);
  return byPool && isSearching ? { ...state, byPool } : state;
}

/** The state after the attempt has stopped before its plan: it says nothing about its subjects. */
export const cancelAttempt = ({ attempt: _, ...state }: PlanningState): PlanningState => state;

/** True if planning the subject may end the planner, as far as earlier attempts have shown. */
export const isUnderSuspicion = (key: string, { suspects, setAside }: PlanningState): boolean =>
  suspects.some((range) => isWithin(key, range)) || setAside.some((subject) => subject.key === key);

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
