/*
 * How a plan that ends its process is kept from doing so again.
 *
 * The work of a plan is limited, so that no pod should end the planner by its time limit. A defect can
 * do it nevertheless: by an error, an endless loop or for want of memory. Nothing can be caught then,
 * and each later plan would end in the same way. Therefore each plan is recorded as an attempt before
 * it starts, and the attempt is removed once the plan exists.
 *
 *     attempt      | planned                        | outcome      | suspected afterwards
 *     -------------+--------------------------------+--------------+-----------------------
 *     all          | A B C D E F G H                | does not end | A B C D E F G H
 *     suspects     | A B C D                        | a plan       | E F G H
 *     others       | A B C D, and new ones          | a plan       | E F G H
 *     suspects     | E F                            | does not end | E F
 *     others       | A B C D G H                    | a plan       | E F
 *     suspects     | E                              | does not end | E
 *     others       | A B C D F G H                  | a plan       | E
 *     suspects     | E                              | does not end | none: E is set aside
 *
 * - A subject is what the planner can leave out. In provisioning it is a workload: the waiting pods of one
 *   owner with one spec (`provisioning/recorded-batch.ts`). In disruption it is a NodeClaim, which is then
 *   no candidate (`disruption/recorded-plan.ts`). Its key is a hash, so that a range of keys describes any
 *   part of a plan.
 * - Before each attempt with suspects the others are planned: they never wait for longer than one attempt.
 * - A subject is set aside after two failed attempts with it alone: a process also ends because of a
 *   deployment, or a second planner may find the attempt of the first. It is planned again, alone, after
 *   10 min, then 20 min, … a day.
 * - An attempt whose plan does not start, because something cannot be read, is cancelled: it says nothing
 *   about its subjects.
 * - A defect may lie in what no attempt leaves out: a property of a NodePool, or of a pod that runs and stays.
 *   After two attempts in a row that do not end, one is made without subjects. If it ends, the search goes on.
 *   If it does not end either, twice, the planner pauses, and no subject is blamed:
 *
 *     attempt          | planned           | outcome      | afterwards
 *     -----------------+-------------------+--------------+---------------------------
 *     all              | A B C D E F G H   | does not end | suspected: A B C D E F G H
 *     suspects         | A B C D           | does not end | suspected: A B C D
 *     without subjects |                   | does not end |
 *     without subjects |                   | does not end | the planner pauses
 *     10 min later     |                   | a plan       | the search goes on: A B
 *
 *   Before it pauses, the planner of removals searches among the NodePools, if there are several: the subjects
 *   are NodePools then. One that is left out has no candidates and gives no replacements, and the planner does
 *   not see its fields; its nodes and pods still count. The NodePool that is found is set aside as a NodeClaim is,
 *   and NodeClaims are the subjects again once it can be planned.
 *
 *   Some defects are met only if a subject is planned, whichever it is. Therefore the planner of removals also
 *   pauses after six attempts in a row that do not end: two subjects that end it cause at most five. The planner
 *   of pods goes on, because no pod may wait for the defects of others.
 * - If the state cannot be stored because another planner is faster, the plan is made unrecorded. So is one that
 *   finds an attempt of the last 20 s that is not known to have failed: its planner may still be planning. A planner
 *   that sees its plan fail records that. After the silent end of a process, SQS delivers its messages again after
 *   22 s at the earliest (`functions/support/keep-hidden.ts`).
 */

import { awaitAll } from '../../model/concurrency.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type {
  Planner,
  PlannerPause,
  PlanningState,
  SetAsideSubject,
  StoredPlanningState,
} from '../../ports/planning-state.ts';
import type { Ports } from '../../ports/ports.ts';
import { cancelAttempt, endAttempt, isUnsuspicious, NO_SUSPECTS, type SubjectRole, startAttempt } from './bisect.ts';
import type { SearchLimits } from './unfinished.ts';

/** During a pause of provisioning pods wait for nodes, so that it stays short. */
export const SEARCH_LIMITS: Readonly<Record<Planner, SearchLimits>> = {
  provisioning: { maxUnfinished: Number.POSITIVE_INFINITY, maxPauseMs: 10 * MINUTE_MS },
  disruption: { maxUnfinished: 6, maxPauseMs: HOUR_MS },
};

export type AttemptPorts = Pick<Ports, 'planningState' | 'decisionLog' | 'clock'>;

/** An attempt that must be closed, once it is recorded. */
export interface OpenAttempt {
  /** Records that the attempt has led to a plan. */
  end(): Promise<void>;
  /** Records that the attempt has stopped before its plan. */
  cancel(): Promise<void>;
  /** Records that the plan has failed, and that this process plans no more. */
  fail(): Promise<void>;
}

export interface RecordedAttempt extends OpenAttempt {
  roleOf(key: string): SubjectRole;
  readonly setAside: readonly SetAsideSubject[];
  /** The subject that is set aside because of the attempt before; it has still to be reported. */
  readonly newlySetAside?: SetAsideSubject;
  /** Set if the planner pauses: no plan may be made. */
  readonly pause?: PlannerPause;
  /** True if the pause has still to be reported. */
  readonly isPauseNew: boolean;
}

/** True if the subjects of the next attempt are NodePools. */
export const searchesPools = (stored: StoredPlanningState | undefined): boolean => stored?.state.byPool === true;

/** True if the next attempt plans all subjects: it can be recorded before they are known. */
export const plansEverything = (stored: StoredPlanningState | undefined): boolean =>
  isUnsuspicious(stored?.state ?? NO_SUSPECTS);

/**
 * Records that a plan is about to start, and chooses its subjects.
 *
 * @param keys - of all subjects; not needed if `plansEverything`
 * @param hasPools - whether NodePools may be left out, if no subject is the cause
 */
export async function recordAttempt(
  { planningState, decisionLog, clock }: AttemptPorts,
  planner: Planner,
  stored: StoredPlanningState | undefined,
  keys: readonly string[],
  hasPools = false,
): Promise<RecordedAttempt> {
  const { state: before, version } = stored ?? { state: NO_SUSPECTS, version: 0 };
  const at = clock.now();
  const isOtherPlanning = mayBePlanning(before, at);
  const { attempt: _, ...withoutOther } = before;
  const counted = isOtherPlanning ? withoutOther : before;
  const started = startAttempt(counted, keys, at, { ...SEARCH_LIMITS[planner], hasPools });
  const { state, unfinished, newlySetAside, pause, isPauseNew, roleOf } = started;
  const isChanged = state.attempt !== undefined || unfinished !== undefined;
  const isRecorded = !isOtherPlanning && isChanged && (await planningState.save(planner, state, version));
  if (isRecorded && unfinished) {
    const { startedAt } = unfinished;
    await decisionLog.recordEvent({ kind: 'plan-unfinished', at, planner, startedAt });
  }
  const close = async (closed: PlanningState): Promise<void> => {
    if (isRecorded && state.attempt) await planningState.save(planner, closed, version + 1);
  };
  return {
    roleOf,
    setAside: state.setAside,
    ...(isRecorded && newlySetAside && { newlySetAside }),
    ...(pause && { pause }),
    isPauseNew: isRecorded && isPauseNew,
    end: () => close(endAttempt(state)),
    cancel: () => close(cancelAttempt(state)),
    fail: () => close(failAttempt(state)),
  };
}

/** Shorter than the time after which the messages of a dead planner return. */
const MAX_PLANNING_MS = 20 * SECOND_MS;

/** True if the planner of the stored attempt may still be planning. */
const mayBePlanning = ({ attempt }: PlanningState, now: EpochMs): boolean =>
  attempt !== undefined && !attempt.hasFailed && now < attempt.startedAt + MAX_PLANNING_MS;

const failAttempt = ({ attempt, ...state }: PlanningState): PlanningState => ({
  ...state,
  ...(attempt && { attempt: { ...attempt, hasFailed: true } }),
});

/**
 * Makes the plan of an attempt. If it fails, the next planner knows at once.
 *
 * @throws the error of `plan`; an AggregateError if the failure cannot be recorded either
 */
export async function recordFailure<T>(attempt: Pick<OpenAttempt, 'fail'>, plan: () => T): Promise<T> {
  const planned = (async () => plan())();
  await awaitAll([planned, planned.catch(() => attempt.fail())]);
  return planned;
}

/** Reports a pause that begins. Any of the pools may be its cause. */
export async function reportPause(
  { decisionLog, clock }: AttemptPorts,
  planner: Planner,
  { pause, isPauseNew }: RecordedAttempt,
  pools: readonly NodePool[],
): Promise<void> {
  if (!pause || !isPauseNew) return;
  const names = pools.map(({ name }) => name);
  const event = { kind: 'planning-paused', at: clock.now(), planner, pools: names } as const;
  await decisionLog.recordEvent({ ...event, ...pause });
}

/** The subjects that an attempt must leave out. */
interface HeldBackSubjects<T> {
  readonly deferred: readonly T[];
  readonly setAside: readonly (Omit<SetAsideSubject, 'key'> & { readonly subject: T })[];
  readonly pause?: PlannerPause;
}

/**
 * Lists the subjects that an attempt must leave out, or that a pause leaves out; `undefined` for none.
 *
 * @param subjects - each with its key
 */
export function listHeldBack<T>(
  { roleOf, setAside, pause }: RecordedAttempt,
  subjects: Iterable<readonly [key: string, subject: T]>,
): HeldBackSubjects<T> | undefined {
  const deferred: T[] = [];
  const excluded: HeldBackSubjects<T>['setAside'][number][] = [];
  for (const [key, subject] of subjects) {
    const role = roleOf(key);
    if (role === 'deferred') deferred.push(subject);
    const exclusion = role === 'set-aside' ? setAside.find((one) => one.key === key) : undefined;
    if (exclusion) excluded.push({ subject, failures: exclusion.failures, until: exclusion.until });
  }
  if (deferred.length + excluded.length === 0 && !pause) return;
  return { deferred, setAside: excluded, ...(pause && { pause }) };
}

/**
 * Waits for what the plan of an attempt needs. If it cannot be read, the attempt is cancelled, so that
 * a table that fails makes no subject suspect.
 *
 * @param attempt - `undefined` if it is not recorded yet
 * @throws the error of `reads`; an AggregateError if the attempt cannot be cancelled either
 */
export async function cancelIfUnreadable<T>(attempt: Promise<OpenAttempt | undefined>, reads: Promise<T>): Promise<T> {
  const cancelled = reads.catch(async () => (await attempt)?.cancel());
  await awaitAll([reads, attempt, cancelled]);
  return reads;
}
