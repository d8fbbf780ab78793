import { SECOND_MS } from '../../model/time.ts';
import type { WatchCache } from './watch-cache.ts';

/** How soon a watch that ended is opened again. To find all of them open costs no request. */
const CHECK_EVERY_MS = 250;
const MIN_BACK_OFF_MS = 500;
const MAX_BACK_OFF_MS = 30 * SECOND_MS;

export interface KeepWatchingParts {
  readonly caches: readonly WatchCache[];
  /** Every kind has been listed, and is watched. Once. */
  readonly onReady: () => void;
  /** A watch could not be opened; it is tried again. */
  readonly onError: (error: unknown) => void;
  /** Between 0 and 1, so that the controllers of a fleet do not come back together. */
  readonly random?: () => number;
}

/**
 * Keeps watches open that nobody asks for an observation, for as long as the process lives.
 *
 * @returns how to stop; watches that are open stay so
 */
export function keepWatching({
  caches,
  onReady,
  onError,
  random = Math.random,
}: KeepWatchingParts): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isReady = false;
  let failures = 0;

  async function openClosedWatches(): Promise<void> {
    const results = await Promise.allSettled(caches.map((cache) => cache.sync()));
    if (isStopped) return;
    const failed = results.find((result) => result.status === 'rejected');
    failures = failed ? failures + 1 : 0;
    if (failed) onError(failed.reason);
    else if (!isReady) {
      isReady = true;
      onReady();
    }
    timer = setTimeout(
      () => void openClosedWatches(),
      failed ? computeBackOffMs(failures, random()) : CHECK_EVERY_MS,
    );
  }

  void openClosedWatches();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Doubles with each failure in a row; between half of it and all of it. */
export const computeBackOffMs = (failures: number, random: number): number =>
  Math.min(MIN_BACK_OFF_MS * 2 ** (failures - 1), MAX_BACK_OFF_MS) * (0.5 + random / 2);
