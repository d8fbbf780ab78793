import type { EpochMs } from '../../model/time.ts';
import type { ApiServer } from '../control-plane/api-server.ts';
import type { VirtualClock } from '../world.ts';
import type { PodFactory } from './pod-factory.ts';

/** Dependencies of every workload controller. */
export interface ControllerContext {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly factory: PodFactory;
}

/** Delay between a change and the controller's reaction. */
export const REACTION_MS = 100;
/**
 * Interval between two bursts of one workload. With `BURST_PODS` a workload creates 40 pods per
 * second.
 */
export const BURST_INTERVAL_MS = 250;
export const BURST_PODS = 10;

/** Keys to reconcile, with due times. */
interface ReconcileQueue {
  /** Reconciles `key` after `delayMs`; an earlier pending request covers this one. */
  request(key: string, delayMs: number): void;
}

/**
 * @param minIntervalMs - minimum time between two reconciliations of a key
 */
export function createReconcileQueue(
  clock: VirtualClock,
  reconcile: (key: string) => void,
  minIntervalMs: number,
): ReconcileQueue {
  const dueAt = new Map<string, EpochMs>();
  const notBefore = new Map<string, EpochMs>();

  return {
    request(key, delayMs) {
      const at = Math.max(clock.now() + delayMs, notBefore.get(key) ?? 0);
      if ((dueAt.get(key) ?? Number.POSITIVE_INFINITY) <= at) return;
      dueAt.set(key, at);
      clock.schedule(at, () => {
        // An earlier request replaced this one.
        if (dueAt.get(key) !== at) return;
        dueAt.delete(key);
        // Set before reconciling: changes made there request the next run.
        notBefore.set(key, at + minIntervalMs);
        reconcile(key);
      });
    },
  };
}
