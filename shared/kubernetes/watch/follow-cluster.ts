import type { ClusterObjects } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/ports.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { createObjectAssembler } from './assemble-objects.ts';
import { keepWatching } from './keep-watching.ts';
import { createObservedKinds, listKindsExceptPods, type ObservedKind } from './observed-kinds.ts';
import { createWatchCache } from './watch-cache.ts';

/** A copy of the cluster for a reader that shows it: always as new as the watches, never waiting. */
export interface FollowedCluster {
  /** The objects as they are known; a kind that was not listed yet is empty. */
  objects(): ClusterObjects;
  /** True once every kind was listed. */
  isListed(): boolean;
  /** Resolves when every kind was listed. */
  readonly listed: Promise<void>;
  stop(): void;
}

export interface FollowListener {
  onChange(): void;
  /** Called if a watch could not be opened; it is retried with back-off. */
  onError(error: unknown): void;
  /** Called when all watches are open again. */
  onRecovered(): void;
}

/** An outage is noticed at the next attempt to open a watch; this is how often they are checked. */
const CHECK_EVERY_MS = 250;

/**
 * Lists and watches a cluster. Decisions need `createClusterView`, which catches up before each
 * observation.
 */
export function followCluster(
  { api, clock }: { readonly api: KubernetesApi; readonly clock: Clock },
  { onChange, onError, onRecovered }: FollowListener,
): FollowedCluster {
  const now = () => clock.now();
  const kinds = createObservedKinds(now, onChange);
  const assemble = createObjectAssembler(kinds);
  const create = <T>(kind: ObservedKind<T>) => createWatchCache({ api, kind, now });
  const caches = [...listKindsExceptPods(kinds).map(create), create(kinds.pods)];
  let isListed = false;
  let isFailing = false;
  let resolveListed = (): void => {};
  const listed = new Promise<void>((resolve) => {
    resolveListed = resolve;
  });

  const stopWatching = keepWatching({
    caches,
    onReady() {
      isListed = true;
      resolveListed();
      onChange();
    },
    onError(error) {
      isFailing = true;
      onError(error);
    },
  });
  const timer = setInterval(() => {
    if (!isFailing || !caches.every((cache) => cache.isLive())) return;
    isFailing = false;
    onRecovered();
  }, CHECK_EVERY_MS);

  return {
    objects: assemble,
    isListed: () => isListed,
    listed,
    stop() {
      stopWatching();
      clearInterval(timer);
      for (const cache of caches) cache.close();
    },
  };
}
