import { SECOND_MS } from '../../model/time.ts';
import type { WatchCache } from './watch-cache.ts';

/** How soon a closed watch is reopened. A check that finds all watches open sends no request. */
const CHECK_EVERY_MS = 250;
const MIN_BACK_OFF_MS = 500;
const MAX_BACK_OFF_MS = 30 * SECOND_MS;

export interface KeepWatchingParts {
  readonly caches: readonly WatchCache[];
  /** Called once, when every kind is listed and watched. */
  readonly onReady: () => void;
  /** Called if a watch could not be opened; it is retried. */
  readonly onError: (error: unknown) => void;
  /** Between 0 and 1. Jitter, so that several controllers do not reconnect at the same time. */
  readonly random?: () => number;
}

/**
 * Keeps watches open between observations, as long as the process runs.
 *
 * @returns a function that stops it; open watches stay open
 */
export function keepWatching({ caches, onReady, onError, random = Math.random }: KeepWatchingParts): () => void {
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
    timer = setTimeout(() => void openClosedWatches(), failed ? computeBackOffMs(failures, random()) : CHECK_EVERY_MS);
  }

  void openClosedWatches();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Doubles with each consecutive failure; the jitter returns between 50 % and 100 % of it. */
export const computeBackOffMs = (failures: number, random: number): number =>
  Math.min(MIN_BACK_OFF_MS * 2 ** (failures - 1), MAX_BACK_OFF_MS) * (0.5 + random / 2);
