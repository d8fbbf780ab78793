import { DEFAULT_BATCH_WINDOW } from '../../model/settings.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { type ObservedObjects, observeObjectsFirst } from '../observe-cluster.ts';
import { assessBatch, type BatchAssessment, type BatchSettings } from './pod-batch.ts';

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
