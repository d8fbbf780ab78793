import type { FeatureGates } from '../../model/settings.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/ports.ts';
import type { ObservedPod, ViewStore } from '../../ports/view-store.ts';
import { ApiUnreachableError, KindNotServedError } from '../client/api-errors.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects, type ObjectListing } from '../client/list-objects.ts';
import { createDeviceLister } from '../readers/observe-devices.ts';
import { createExtensionLister } from '../readers/observe-extensions.ts';
import { observeOnRequest } from '../readers/observe-on-request.ts';
import { createObjectAssembler } from './assemble-objects.ts';
import { createExtensionKinds } from './extension-kinds.ts';
import { type ClusterChange, type DelayedHint, toHintsOfChange } from './hints-of-change.ts';
import { keepWatching } from './keep-watching.ts';
import { createObservedKinds, listKindsExceptPods, type ObservedKind } from './observed-kinds.ts';
import { createViewKeeper } from './stored-view.ts';
import { createWatchCache, isOlder, type WatchCache } from './watch-cache.ts';

/**
 * A copy of the cluster that a warm process keeps up to date with watches. `watch-cache.ts`
 * explains how it catches up.
 */
export interface ClusterView {
  /**
   * Opens closed watches early, so that an observation that follows soon does not wait for them.
   */
  prepare(): Promise<void>;
  observe: Cluster['observe'];
  /**
   * Sends a hint for each change, like the admission webhook would. The first hint is a `sweep`,
   * for everything that happened before.
   *
   * @returns a function that ends the subscription
   */
  subscribe(subscriber: HintSubscriber): () => void;
  /** Stores the view for the next cold start, if it is current and none was stored recently. */
  storeView(): Promise<void>;
  /** Closes the watches unless an observation is under way; the next one opens them again. */
  suspend(): void;
  /** Closes the watches; the next observation opens them again. */
  close(): void;
}

export interface HintSubscriber {
  onHint(hint: DelayedHint): void;
  /** Called if a watch could not be opened; it is retried with back-off. */
  onError?(error: unknown): void;
}

export interface ClusterViewParts {
  readonly api: KubernetesApi;
  readonly clock: Clock;
  /** True if the process may be frozen between calls, like a Lambda function. */
  readonly mayFreeze?: boolean;
  /** Which optional kinds are read; `undefined` for none. */
  readonly gates?: FeatureGates;
  /** `undefined` if every start lists all kinds. */
  readonly views?: ViewStore;
  /** Called if a kind has to be listed because the API server has lost its history. */
  readonly onExpired?: (resource: string) => void;
}

/**
 * After a longer pause the process may have been frozen. TCP delivers what was sent meanwhile with
 * delays, and a delayed connection cannot be told from a dead one, so the watches are reopened.
 */
const FROZEN_AFTER_MS = 2 * SECOND_MS;
/** How long the pod watch may lag behind the list of pending pods. */
const MAX_WATCH_LAG_MS = 500;

/** The API server may end a watch right after it began because its history is gone. */
const MAX_ROUNDS = 3;

export function createClusterView({
  api,
  clock,
  mayFreeze = false,
  gates,
  views,
  onExpired,
}: ClusterViewParts): ClusterView {
  const now = (): number => clock.now();
  const subscribers = new Set<(change: ClusterChange) => void>();
  const announce = (change: ClusterChange): void => {
    for (const changed of subscribers) changed(change);
  };
  const kinds = createObservedKinds(now, announce);
  const assemble = createObjectAssembler(kinds);
  const sources = { api, listDevices: createDeviceLister(api) };
  const extensions = createExtensionLister(api, kinds.templates, gates);
  const createCache = <T>(kind: ObservedKind<T>): WatchCache =>
    createWatchCache({ api, kind, now, ...(onExpired && { onExpired }) });
  const podCache = createCache(kinds.pods);
  const nodeCache = createCache(kinds.nodes);
  const smallCaches = listKindsExceptPods(kinds)
    .filter((kind) => kind !== kinds.nodes)
    .map(createCache);
  const otherCaches = [nodeCache, ...smallCaches];
  const caches = [...otherCaches, podCache];
  const keeper = views && createViewKeeper({ views, kinds, caches: { pods: podCache, nodes: nodeCache }, now });
  const extensionCaches = createExtensionKinds(gates, announce).map(createCache);

  let lastUsedAt = Number.NEGATIVE_INFINITY;
  let activeCalls = 0;

  /**
   * Reopens the watches if the process may have been frozen since the last call; a slow call is no
   * pause.
   */
  async function withLiveWatches<T>(answer: () => Promise<T>): Promise<T> {
    if (mayFreeze && activeCalls === 0 && now() - lastUsedAt > FROZEN_AFTER_MS) close();
    activeCalls += 1;
    try {
      return await answer();
    } finally {
      activeCalls -= 1;
      lastUsedAt = now();
    }
  }

  const sync = async (): Promise<void> => {
    const syncStored = async (): Promise<void> => {
      await keeper?.restore();
      await Promise.all([podCache.sync(), nodeCache.sync()]);
    };
    await Promise.all([syncStored(), ...smallCaches.map((cache) => cache.sync())]);
  };

  /**
   * Takes pods without a node from a list and everything else from the watches; if both know an
   * object, the newer resourceVersion applies. A pod that is bound in between is missing from the
   * batch, but never counted twice.
   *
   * @returns true if all watches are still open
   */
  async function observeOnce(): Promise<boolean> {
    await sync();
    await Promise.all(otherCaches.map((cache) => cache.untilCaughtUp()));
    const pending = await listObjects(api, kinds.pods, { fieldSelector: 'spec.nodeName=' });
    await podCache.untilCaughtUp(pending.resourceVersion);
    const isBehind = (): boolean => isOlder(podCache.resourceVersion(), pending.resourceVersion);
    await waitUntil(() => !isBehind() || findStalePendingPods(kinds.pods, pending).length === 0, MAX_WATCH_LAG_MS);
    if (isBehind()) applyPendingList(kinds.pods, pending);
    return caches.every(isLive);
  }

  async function observeUntilConsistent(): Promise<void> {
    for (let round = 1; round <= MAX_ROUNDS; round += 1) if (await observeOnce()) return;
    throw new ApiUnreachableError(WATCH_ACTION, { why: 'watches end as soon as they begin' });
  }

  function close(): void {
    for (const cache of [...caches, ...extensionCaches]) cache.close();
  }

  const findClaim = (node: string) => kinds.nodeClaims.store.values().find((claim) => claim?.nodeName === node);

  return {
    prepare: () => withLiveWatches(sync),
    async observe(options = {}) {
      await withLiveWatches(observeUntilConsistent);
      const objects = { ...assemble(), ...(await extensions()) };
      return { ...objects, ...(await observeOnRequest(sources, options, objects.pods, now())) };
    },
    subscribe({ onHint, onError = () => {} }) {
      const changed = (change: ClusterChange): void => {
        for (const hint of toHintsOfChange(change, now(), findClaim)) onHint(hint);
      };
      const stop = keepWatching({
        caches,
        onReady() {
          subscribers.add(changed);
          onHint({ hint: { topic: 'sweep' }, afterMs: 0 });
        },
        onError,
      });
      // A CRD may be missing, which must not keep the other kinds waiting.
      const stopExtensions = extensionCaches.map((cache) =>
        keepWatching({
          caches: [cache],
          onReady() {},
          onError: (error) => {
            if (!(error instanceof KindNotServedError)) onError(error);
          },
        }),
      );
      return () => {
        stop();
        for (const stopExtension of stopExtensions) stopExtension();
        subscribers.delete(changed);
      };
    },
    storeView: async () => keeper?.save(),
    suspend() {
      if (activeCalls === 0) close();
    },
    close,
  };
}

const WATCH_ACTION = { verb: 'watch', resource: 'the cluster' } as const;

const isLive = (cache: WatchCache): boolean => cache.isLive();

type PendingListing = ObjectListing<ObservedPod>;

/**
 * Pods that are pending in the watch and missing in the list: they were bound or deleted meanwhile.
 */
const findStalePendingPods = ({ store }: ObservedKind<ObservedPod>, { parsed }: PendingListing): readonly string[] =>
  store.keys().filter((key) => {
    const isPending = store.get(key)?.pod.nodeName === undefined;
    return isPending && !parsed.has(key);
  });

/** The list is newer than the watch: its pods replace the pending pods of the store. */
function applyPendingList(kind: ObservedKind<ObservedPod>, pending: PendingListing): void {
  for (const key of findStalePendingPods(kind, pending)) kind.store.remove(key);
  for (const [key, reading] of pending.parsed) {
    kind.store.put(key, reading, pending.versions.get(key));
  }
}

async function waitUntil(isTrue: () => boolean, maxMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < maxMs && !isTrue(); waitedMs += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
const POLL_MS = 5;
