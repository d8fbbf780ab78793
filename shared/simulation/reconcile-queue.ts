import type { VirtualClock } from './world.ts';

/** What a controller of the controller-manager has still to look at, key by key. */
export interface ReconcileQueue {
  /** Looks at `key` after `delayMs`; a look that is due earlier stands for both. */
  request(key: string, delayMs: number): void;
}

export function createReconcileQueue(
  clock: VirtualClock,
  reconcile: (key: string) => void,
): ReconcileQueue {
  const dueAt = new Map<string, number>();

  return {
    request(key, delayMs) {
      const at = clock.now() + delayMs;
      if ((dueAt.get(key) ?? Number.POSITIVE_INFINITY) <= at) return;
      dueAt.set(key, at);
      clock.schedule(at, () => {
        // An earlier request has taken its place.
        if (dueAt.get(key) !== at) return;
        dueAt.delete(key);
        reconcile(key);
      });
    },
  };
}
