/*
 * How a plan that ends its process is kept from doing so again.
 *
 * The work of a plan is limited, so that no pod should end the planner by its time limit. A defect can
 * do it nevertheless: by an error, an endless loop or for want of memory. Nothing can be caught then,
 * and each later plan would end in the same way. Therefore each plan is recorded as an attempt before
 * it starts, beside the reads that it needs anyway, and the attempt is removed once the plan exists.
 *
 *     attempt      | planned                        | outcome      | suspected afterwards
 *     -------------+--------------------------------+--------------+-----------------------
 *     all pods     | A B C D E F G H                | does not end | A B C D E F G H
 *     suspects     | A B C D                        | a plan       | E F G H
 *     others       | A B C D, and new pods          | a plan       | E F G H
 *     suspects     | E F                            | does not end | E F
 *     others       | A B C D G H                    | a plan       | E F
 *     suspects     | E                              | does not end | E
 *     others       | A B C D F G H                  | a plan       | E
 *     suspects     | E                              | does not end | none: E is set aside
 *
 * - A suspect is a workload: pods of one owner with one spec. Its key is a hash, so that a range of
 *   keys describes any part of a batch, and a changed pod is another workload.
 * - Before each attempt with suspects the other pods are planned: they never wait for longer than one
 *   attempt.
 * - A workload is set aside after two failed attempts with it alone: a process also ends because of a
 *   deployment, or a second planner may find the attempt of the first. It is planned again, alone, after
 *   10 min, then 20 min, … a day.
 * - An attempt whose plan does not start, because something cannot be read, is cancelled: it says nothing
 *   about its pods.
 * - If the state cannot be stored because another planner is faster, the plan is made unrecorded.
 */

import type { ClusterSnapshot } from '../../../model/cluster-snapshot.ts';
import { awaitAll } from '../../../model/concurrency.ts';
import { type Pod, type PodKey, podKey } from '../../../model/pods/pod.ts';
import type { HeldBackPods } from '../../../ports/decision-log.ts';
import type { PlanningState, StoredPlanningState } from '../../../ports/planning-state.ts';
import type { Ports } from '../../../ports/ports.ts';
import {
  cancelAttempt,
  endAttempt,
  isUnsuspicious,
  NO_SUSPECTS,
  type StartedAttempt,
  startAttempt,
} from './bisect-batch.ts';
import { groupByWorkloadKey } from './held-back-pods.ts';

type AttemptPorts = Pick<Ports, 'planningState' | 'decisionLog' | 'clock'>;

export interface RecordedAttempt {
  /** The pods that this attempt must leave out; `undefined` for none. */
  readonly heldBack?: HeldBackPods;
  /** Records that the attempt has led to a plan. */
  end(): Promise<void>;
  /** Records that the attempt has stopped before its plan. */
  cancel(): Promise<void>;
}

/** True if the next attempt plans all pods: it can be recorded before they are known. */
export const plansAllPods = (stored: StoredPlanningState | undefined): boolean =>
  isUnsuspicious(stored?.state ?? NO_SUSPECTS);

/**
 * Records that a plan is about to start, and chooses its pods.
 *
 * @param snapshot - not needed if `plansAllPods`
 */
export async function recordAttempt(
  ports: AttemptPorts,
  stored: StoredPlanningState | undefined,
  snapshot?: ClusterSnapshot,
): Promise<RecordedAttempt> {
  const { state: before, version } = stored ?? { state: NO_SUSPECTS, version: 0 };
  const workloads = snapshot && !isUnsuspicious(before) ? groupByWorkloadKey(snapshot) : NO_PODS;
  const started = startAttempt(before, [...workloads.keys()], ports.clock.now());
  const isRecorded = await ports.planningState.save(started.state, version);
  if (isRecorded) await reportConclusions(ports, started, workloads);
  const heldBack = listHeldBackPods(started, workloads);
  const close = async (state: PlanningState): Promise<void> => {
    if (isRecorded) await ports.planningState.save(state, version + 1);
  };
  return {
    ...(heldBack && { heldBack }),
    end: () => close(endAttempt(started.state)),
    cancel: () => close(cancelAttempt(started.state)),
  };
}

/**
 * Waits for what the plan of an attempt needs. If it cannot be read, the attempt is cancelled, so that
 * a table that fails makes no pod suspect.
 *
 * @param attempt - `undefined` if it is not recorded yet
 * @throws the error of `reads`; an AggregateError if the attempt cannot be cancelled either
 */
export async function cancelIfUnreadable<T>(
  attempt: Promise<RecordedAttempt | undefined>,
  reads: Promise<T>,
): Promise<T> {
  const cancelled = reads.catch(async () => (await attempt)?.cancel());
  await awaitAll([reads, attempt, cancelled]);
  return reads;
}

type PodsByWorkload = ReadonlyMap<string, readonly Pod[]>;

const NO_PODS: PodsByWorkload = new Map();

/** An event names at most so many pods. */
const MAX_NAMED_PODS = 25;

async function reportConclusions(
  { decisionLog, clock }: AttemptPorts,
  { unfinished, newlySetAside }: StartedAttempt,
  workloads: PodsByWorkload,
): Promise<void> {
  const at = clock.now();
  if (unfinished) {
    const { startedAt } = unfinished;
    await decisionLog.recordEvent({ kind: 'plan-unfinished', at, startedAt });
  }
  if (newlySetAside) {
    const { key, failures, until } = newlySetAside;
    const pods = (workloads.get(key) ?? []).map(podKey);
    await decisionLog.recordEvent({
      ...{ kind: 'pods-set-aside', at, failures, until },
      pods: pods.slice(0, MAX_NAMED_PODS),
      podCount: pods.length,
    });
  }
}

function listHeldBackPods(
  { state: { setAside }, roleOf }: StartedAttempt,
  workloads: PodsByWorkload,
): HeldBackPods | undefined {
  const deferred: PodKey[] = [];
  const excluded: HeldBackPods['setAside'][number][] = [];
  for (const [key, members] of workloads) {
    const pods = members.map(podKey);
    const role = roleOf(key);
    if (role === 'deferred') deferred.push(...pods);
    const workload = setAside.find((one) => one.key === key);
    if (role !== 'set-aside' || !workload) continue;
    excluded.push({ pods, failures: workload.failures, until: workload.until });
  }
  return deferred.length + excluded.length > 0 ? { deferred, setAside: excluded } : undefined;
}
