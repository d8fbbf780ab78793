import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { isProvisionable, isUnjudged } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import {
  findOwnersLackingPods,
  listAnticipatedPods,
} from '../../scheduling/pods/anticipated-pods.ts';
import { MAX_BATCH_MS } from '../support/nominate.ts';

const BATCH_IDLE_MS = SECOND_MS;

/** How long pods are gathered, so that a burst is planned as one. */
export interface BatchWindow {
  readonly idleMs: number;
  readonly maxMs: number;
}

export const DEFAULT_BATCH_WINDOW: BatchWindow = { idleMs: BATCH_IDLE_MS, maxMs: MAX_BATCH_MS };

export interface PodBatch {
  /** Enough has been waited: plan now. */
  readonly due: boolean;
  /** When the batch of the newest pods closes; absent: it has. */
  readonly closesAt?: EpochMs;
}

/**
 * Judges from the pods alone whether to plan: every invocation, whatever it has seen before, comes
 * to the same answer. In a stream that never pauses a plan is due when the maximum has cut a batch
 * off, for as long as the idle time; a wake-up that comes later waits for the next cut.
 */
export function computeBatch(
  pods: readonly Pod[],
  now: EpochMs,
  window: BatchWindow = DEFAULT_BATCH_WINDOW,
): PodBatch {
  const closings = computeClosingTimes(pods, window);
  const newest = closings.at(-1);
  if (newest === undefined || newest <= now) return { due: true };

  const cut = closings.at(-2);
  return { due: cut !== undefined && now - cut < window.idleMs, closesAt: newest };
}

export interface BatchSettings {
  readonly window: BatchWindow;
  /** Whether plans count in what owners are still creating. */
  readonly anticipate: boolean;
}

export interface BatchAssessment extends PodBatch {
  /** Some pods are so young that kube-scheduler has not said yet what becomes of them. */
  readonly hasUnjudged: boolean;
}

/** Judges the batch of a snapshot. Owners that have all of their pods leave nothing to wait for. */
export function assessBatch(
  snapshot: ClusterSnapshot,
  { window, anticipate }: BatchSettings,
): BatchAssessment {
  const anticipated = anticipate ? listAnticipatedPods(snapshot) : [];
  return {
    ...computeBatch(listPodsAwaitingSiblings(snapshot, anticipated), snapshot.takenAt, window),
    hasUnjudged: hasUnjudged(snapshot, anticipated),
  };
}

/**
 * Pending pods that more may follow: their owner is not known, or lacks pods that no plan counts
 * in. What has no owner comes alone.
 */
function listPodsAwaitingSiblings(snapshot: ClusterSnapshot, anticipated: readonly Pod[]): readonly Pod[] {
  const ownersInSnapshot = new Set((snapshot.owners ?? []).map(({ uid }) => uid));
  const ownersLacking = findOwnersLackingPods(snapshot);
  const ownersAnticipated = new Set(anticipated.map(({ owner }) => owner?.uid));
  return snapshot.pods.filter(isProvisionable).filter(({ owner }) => {
    if (!owner) return false;
    return !ownersInSnapshot.has(owner.uid) || (ownersLacking.has(owner.uid) && !ownersAnticipated.has(owner.uid));
  });
}

/** The scheduler tells of a pod before it writes on it that it has no place. */
const SCHEDULER_REPORTS_WITHIN_MS = 2 * SECOND_MS;

function hasUnjudged({ pods, takenAt }: ClusterSnapshot, anticipated: readonly Pod[]): boolean {
  const ownersAnticipated = new Set(anticipated.map(({ owner }) => owner?.uid));
  return pods.some(
    (pod) =>
      isUnjudged(pod) &&
      takenAt - pod.createdAt < SCHEDULER_REPORTS_WITHIN_MS &&
      !(pod.owner && ownersAnticipated.has(pod.owner.uid)),
  );
}

/**
 * When each batch closes: `idleMs` after its newest pod became pending, and no later than `maxMs`
 * after its first.
 */
function computeClosingTimes(pods: readonly Pod[], { idleMs, maxMs }: BatchWindow): readonly EpochMs[] {
  const closings: EpochMs[] = [];
  let opensAt = Number.NEGATIVE_INFINITY;
  let closesAt = Number.NEGATIVE_INFINITY;
  for (const time of listPendingTimes(pods)) {
    if (time >= closesAt) {
      opensAt = time;
      closings.push(time);
    }
    closesAt = Math.min(time + idleMs, opensAt + maxMs);
    closings[closings.length - 1] = closesAt;
  }
  return closings;
}

const listPendingTimes = (pods: readonly Pod[]): readonly EpochMs[] =>
  pods
    .map(({ unschedulableSince }) => unschedulableSince)
    .filter((time) => time !== undefined)
    .toSorted((a, b) => a - b);
