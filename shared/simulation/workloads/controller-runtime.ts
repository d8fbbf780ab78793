import type { EpochMs } from '../../model/time.ts';
import type { ApiServer } from '../control-plane/api-server.ts';
import type { VirtualClock } from '../world.ts';
import type { PodFactory } from './pod-factory.ts';

/** What every controller of the controller-manager works with. */
export interface ControllerContext {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly factory: PodFactory;
}

/** From a change to the controller that acts on it. */
export const REACTION_MS = 100;
/** Between two bursts of one workload: with `BURST_PODS`, 40 pods a second. */
export const BURST_INTERVAL_MS = 250;
export const BURST_PODS = 10;

/** What a controller of the controller-manager has still to look at, key by key. */
interface ReconcileQueue {
  /** Looks at `key` after `delayMs`; a look that is due earlier stands for both. */
  request(key: string, delayMs: number): void;
}

/** @param minIntervalMs - the least time between two looks at one key */
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
        // An earlier request has taken its place.
        if (dueAt.get(key) !== at) return;
        dueAt.delete(key);
        // Before the look: what it changes asks for the next one.
        notBefore.set(key, at + minIntervalMs);
        reconcile(key);
      });
    },
  };
}
