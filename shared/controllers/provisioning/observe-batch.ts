import { isProvisionable, isUnevaluated } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { type BatchWindow, DEFAULT_BATCH_WINDOW } from '../../model/settings.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { findOwnersLackingPods, listAnticipatedPods, type OwnedPods } from '../../scheduling/pods/anticipated-pods.ts';
import { type ObservedObjects, observeObjectsFirst } from '../observe-cluster.ts';

export interface ProvisioningSettings extends BatchSettings {
  /**
   * Waits inside the invocation until the batch is complete. `undefined`: a delayed hint continues
   * it.
   */
  readonly wait?: (ms: number) => Promise<unknown>;
  /** The caller may not launch: claims are launched by their own reconciliation. */
  readonly defersLaunches?: true;
}

export const DEFAULT_PROVISIONING_SETTINGS: ProvisioningSettings = {
  window: DEFAULT_BATCH_WINDOW,
  anticipate: true,
};

/** How often the state is read again while a batch is open. */
const POLL_INTERVAL_MS = 250;
/** How long a plan waits for kube-scheduler to report on new pods. */
const MAX_SCHEDULER_WAIT_MS = 2 * SECOND_MS;

/**
 * Reads the cluster's objects until the batch of pods is complete or has reached its maximum time.
 *
 * @returns undefined if the batch is still open; a delayed hint continues it
 */
export async function observeBatch(
  ports: PortsOf<'provisioning'>,
  settings: ProvisioningSettings,
): Promise<ObservedObjects | undefined> {
  let since: EpochMs | undefined;
  for (;;) {
    const objects = await observeObjectsFirst(ports);
    since ??= objects.takenAt;
    const batch = assessBatch(objects, settings, since);
    const pauseMs = computePauseMs(objects.takenAt, { since, batch, settings });
    if (settings.wait && pauseMs > 0) {
      await settings.wait(pauseMs);
      continue;
    }
    const { due, closesAt } = batch;
    if (closesAt !== undefined) await ports.queue.send({ topic: 'plan' }, closesAt);
    return due ? objects : undefined;
  }
}

interface BatchWait {
  readonly since: EpochMs;
  readonly batch: BatchAssessment;
  readonly settings: BatchSettings;
}

/** Time until the next look. 0 if another look cannot improve the batch. */
function computePauseMs(
  now: EpochMs,
  { since, batch: { due, closesAt = now, hasUnevaluated }, settings }: BatchWait,
): number {
  const waitedMs = now - since;
  if (waitedMs >= settings.window.maxMs) return 0;
  if (!due) return Math.min(POLL_INTERVAL_MS, closesAt - now);
  return hasUnevaluated && waitedMs < MAX_SCHEDULER_WAIT_MS ? POLL_INTERVAL_MS : 0;
}

interface PodBatch {
  /** The batch is closed: plan now. */
  readonly due: boolean;
  /** When the batch of the newest pods closes. `undefined`: it is closed. */
  readonly closesAt?: EpochMs;
}

/**
 * Decides from the pods' timestamps alone whether to plan, so that every invocation gets the same
 * answer. In a continuous stream, `initialCount` cuts a batch off and a plan is due for `idleMs` after the
 * cut; a later wake-up waits for the next cut.
 */
export function computeBatch(pods: readonly Pod[], now: EpochMs, window: BatchWindow = DEFAULT_BATCH_WINDOW): PodBatch {
  const closings = computeClosingTimes(pods, window);
  const newest = closings.at(-1);
  if (newest === undefined || newest <= now) return { due: true };

  const cut = closings.at(-2);
  return { due: cut !== undefined && now - cut < window.idleMs, closesAt: newest };
}

interface BatchSettings {
  readonly window: BatchWindow;
  /** If true, plans include pods that owners have still to create. */
  readonly anticipate: boolean;
}

interface BatchAssessment extends PodBatch {
  /** Some pods are so new that kube-scheduler has not reported on them yet. */
  readonly hasUnevaluated: boolean;
}

/**
 * Assesses the batch of a snapshot. Pods of complete owners are not waited for.
 *
 * @param since - when the first snapshot of the batch was taken: kube-scheduler's report on pods that
 *   are younger is not waited for, because drains of many nodes create pods all the time
 */
export function assessBatch(
  snapshot: OwnedPods,
  { window, anticipate }: BatchSettings,
  since: EpochMs,
): BatchAssessment {
  const anticipated = anticipate ? listAnticipatedPods(snapshot) : [];
  return {
    ...computeBatch(listPodsAwaitingSiblings(snapshot, anticipated), snapshot.takenAt, window),
    hasUnevaluated: hasUnevaluated(snapshot, anticipated, since),
  };
}

/**
 * Pending pods that more pods may follow: their owner is unknown, or lacks pods that no plan
 * anticipates. Pods without an owner come alone.
 */
function listPodsAwaitingSiblings(snapshot: OwnedPods, anticipated: readonly Pod[]): readonly Pod[] {
  const ownersInSnapshot = new Set((snapshot.owners ?? []).map(({ uid }) => uid));
  const ownersLacking = findOwnersLackingPods(snapshot);
  const ownersAnticipated = new Set(anticipated.map(({ owner }) => owner?.uid));
  return snapshot.pods.filter(isProvisionable).filter(({ owner }) => {
    if (!owner) return false;
    return !ownersInSnapshot.has(owner.uid) || (ownersLacking.has(owner.uid) && !ownersAnticipated.has(owner.uid));
  });
}

/** kube-scheduler emits its event for a pod before it writes the Unschedulable condition. */
const SCHEDULER_REPORTS_WITHIN_MS = 2 * SECOND_MS;

function hasUnevaluated({ pods, takenAt }: OwnedPods, anticipated: readonly Pod[], since: EpochMs): boolean {
  const ownersAnticipated = new Set(anticipated.map(({ owner }) => owner?.uid));
  return pods.some(
    (pod) =>
      isUnevaluated(pod) &&
      pod.createdAt <= since &&
      takenAt - pod.createdAt < SCHEDULER_REPORTS_WITHIN_MS &&
      !(pod.owner && ownersAnticipated.has(pod.owner.uid)),
  );
}

/**
 * When each batch closes: `idleMs` after its newest pod became pending, but at most `initialCount` after
 * its first.
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
