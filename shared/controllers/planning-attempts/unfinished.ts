import { DAY_MS, type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { PlanningAttempt, PlanningState, SetAsideSubject } from '../../ports/planning-state.ts';
import { isWithin, listGaps } from './key-ranges.ts';

/** The first pause of a subject that is set aside, or of the planner; it doubles with each failure. */
const MIN_PAUSE_MS = 10 * MINUTE_MS;
const MAX_SUBJECT_PAUSE_MS = DAY_MS;

/** After so many attempts in a row that do not end, one is made without subjects. */
const MAX_UNFINISHED_WITH_SUBJECTS = 2;
/** One failure without subjects is no proof either. */
const MIN_UNFINISHED_BEFORE_PAUSE = MAX_UNFINISHED_WITH_SUBJECTS + 2;

/** When a planner pauses, and for how long. */
export interface SearchLimits {
  /** The planner pauses after so many attempts in a row that did not end. */
  readonly maxUnfinished: number;
  readonly maxPauseMs: number;
  /** True if the search goes on among NodePools before the planner pauses. */
  readonly hasPools?: boolean;
}

type StateWithoutAttempt = Omit<PlanningState, 'attempt'>;

interface CountedState {
  readonly state: StateWithoutAttempt;
  readonly newlySetAside?: SetAsideSubject;
  readonly isPauseNew?: boolean;
}

/** True if the next attempt must show that plans end once their subjects are left out. */
export const mustLeaveOutAll = ({ unfinished = 0, endsWithoutSubjects }: StateWithoutAttempt): boolean =>
  unfinished >= MAX_UNFINISHED_WITH_SUBJECTS && !endsWithoutSubjects;

/** Draws the conclusion from an attempt that did not end. */
export function countUnfinished(
  { attempt, ...before }: PlanningState,
  now: EpochMs,
  limits: SearchLimits,
): CountedState {
  if (!attempt) return { state: before };
  const unfinished = (before.unfinished ?? 0) + 1;
  const state = { ...before, unfinished };
  if (attempt.withoutSubjects) {
    const isProven = unfinished >= MIN_UNFINISHED_BEFORE_PAUSE;
    return isProven ? giveUp(state, now, limits) : { state };
  }
  const narrowed = narrowSuspects(state, attempt);
  // After the pause other suspects are next, because these may end the planner each time.
  if (unfinished >= limits.maxUnfinished) return giveUp(rotate(narrowed), now, limits);
  const { only } = attempt;
  if (only === undefined) return { state: narrowed };
  // A process may also end for another reason, so that one failure is no proof.
  if (state.confirming !== only) return { state: { ...narrowed, confirming: only } };
  return setSubjectAside(narrowed, only, now);
}

function narrowSuspects(state: StateWithoutAttempt, { suspects: planned }: PlanningAttempt): StateWithoutAttempt {
  if (!planned) {
    // One of the others ends the planner. Each range between the suspects is searched.
    const suspects = [...state.suspects, ...listGaps(state.suspects)];
    return { ...state, suspects, areOthersPlanned: true };
  }
  const suspects = state.suspects.map((range) => (isWithin(planned.from, range) ? planned : range));
  return { ...state, suspects, areOthersPlanned: false };
}

const rotate = (state: StateWithoutAttempt): StateWithoutAttempt => ({
  ...state,
  suspects: [...state.suspects.slice(1), ...state.suspects.slice(0, 1)],
});

function setSubjectAside({ confirming: _, ...state }: StateWithoutAttempt, key: string, now: EpochMs): CountedState {
  const failures = (state.setAside.find((subject) => subject.key === key)?.failures ?? 0) + 1;
  const newlySetAside = {
    key,
    failures,
    until: now + toPauseMs(failures, MAX_SUBJECT_PAUSE_MS),
    ...(state.byPool && { isPool: true as const }),
  };
  return {
    newlySetAside,
    state: {
      ...state,
      suspects: state.suspects.filter((range) => !isWithin(key, range)),
      setAside: [...state.setAside.filter((subject) => subject.key !== key), newlySetAside],
    },
  };
}

/** No subject is the cause: searches the NodePools if these are subjects as well, and pauses otherwise. */
function giveUp(state: StateWithoutAttempt, now: EpochMs, limits: SearchLimits): CountedState {
  if (state.byPool || !limits.hasPools) return startPause(state, now, limits);
  const { setAside, pause } = state;
  const others = { suspects: [], areOthersPlanned: false, byPool: true } as const;
  return { state: { ...others, setAside, ...(pause && { pause }) } };
}

function startPause(
  { endsWithoutSubjects: _, ...state }: StateWithoutAttempt,
  now: EpochMs,
  { maxPauseMs }: SearchLimits,
): CountedState {
  const failures = (state.pause?.failures ?? 0) + 1;
  const pause = { failures, until: now + toPauseMs(failures, maxPauseMs) };
  return { state: { ...state, pause }, isPauseNew: true };
}

const toPauseMs = (failures: number, maxMs: number): number => Math.min(MIN_PAUSE_MS * 2 ** (failures - 1), maxMs);
