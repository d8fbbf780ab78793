import { shareWhileRunning } from '../../model/concurrency.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { StoredKind, StoredView, ViewStore } from '../../ports/view-store.ts';
import type { LiveReading } from '../readers/live-object.ts';
import { objectKey } from './object-store.ts';
import type { ObservedKind, ObservedKinds } from './observed-kinds.ts';
import { STALE_AFTER_MS, type WatchCache } from './watch-cache.ts';

/** The caches of the kinds that a stored view holds; all other kinds are quickly listed. */
export interface StoredCaches {
  readonly pods: WatchCache;
  readonly nodes: WatchCache;
}

/** Starts the caches of pods and Nodes from a view that another process stored, and stores views. */
export interface ViewKeeper {
  /** Loads a view if a cache would have to list its kind. */
  restore(): Promise<void>;
  save(): Promise<void>;
}

interface ViewKeeperParts {
  readonly views: ViewStore;
  readonly kinds: ObservedKinds;
  readonly caches: StoredCaches;
  readonly now: () => EpochMs;
}

/** Below this number of pods, a list is as fast as a stored view. */
const MIN_PODS = 1_000;
/** From this number on, a list takes many seconds and hundreds of megabytes. */
const MANY_PODS = 50_000;
/**
 * Two functions that store views run once a minute. In large clusters each minute has a view, because
 * there the API server may keep no more history than 75 s; elsewhere every other minute has one.
 */
const MIN_INTERVAL_MS = { large: 40 * SECOND_MS, usual: 90 * SECOND_MS };

export function createViewKeeper({ views, kinds, caches, now }: ViewKeeperParts): ViewKeeper {
  // A view whose history the API server has lost must not be loaded again.
  let restoredAt = Number.NEGATIVE_INFINITY;

  async function restore(): Promise<void> {
    if (!caches.pods.needsList() && !caches.nodes.needsList()) return;
    const view = await views.load(Math.max(now() - STALE_AFTER_MS, restoredAt + 1));
    if (!view) return;
    restoredAt = view.takenAt;
    if (caches.pods.needsList()) {
      restoreKind(kinds.pods, withSharedSpecs(kinds, view.pods), ({ pod }) => pod);
      kinds.podEvents.restore(view.lastPodEventAt);
      caches.pods.resumeFrom(view.pods.resourceVersion, view.takenAt);
    }
    if (caches.nodes.needsList()) {
      restoreKind(kinds.nodes, view.nodes, (node) => node);
      caches.nodes.resumeFrom(view.nodes.resourceVersion, view.takenAt);
    }
  }

  function take(): StoredView | undefined {
    const { pods, nodes } = caches;
    const [podVersion, nodeVersion] = [pods.resourceVersion(), nodes.resourceVersion()];
    const isCurrent = pods.isLive() && nodes.isLive();
    if (!isCurrent || podVersion === undefined || nodeVersion === undefined) return undefined;
    return {
      takenAt: Math.min(pods.lastEventAt(), nodes.lastEventAt()),
      pods: { resourceVersion: podVersion, ...kinds.pods.store.stored() },
      nodes: { resourceVersion: nodeVersion, ...kinds.nodes.store.stored() },
      lastPodEventAt: kinds.podEvents.latest(),
    };
  }

  return {
    restore: shareWhileRunning(restore),
    async save() {
      const pods = kinds.pods.store.values().length;
      if (pods < MIN_PODS) return;
      const minIntervalMs = MIN_INTERVAL_MS[pods < MANY_PODS ? 'usual' : 'large'];
      await views.save(now(), { minIntervalMs, take });
    },
  };
}

function restoreKind<T>(
  { store }: ObservedKind<T>,
  { objects, unreadable }: StoredKind<T>,
  identityOf: (value: T) => { readonly namespace?: string; readonly name: string },
): void {
  const parsed = new Map<string, LiveReading<T>>();
  const versions = new Map<string, string>();
  for (const { version, value } of objects) {
    const key = objectKey(identityOf(value));
    parsed.set(key, { outcome: 'read', value });
    versions.set(key, version);
  }
  for (const { version, value: object } of unreadable) {
    const key = objectKey(object);
    parsed.set(key, { outcome: 'unreadable', object });
    versions.set(key, version);
  }
  store.replace({ parsed, versions });
}

/** Decisions cache by spec: pods of the view and pods that are read later share theirs. */
function withSharedSpecs({ templates }: ObservedKinds, stored: StoredView['pods']): StoredView['pods'] {
  const shared = new Map<PodSpec, PodSpec>();
  const objects = stored.objects.map((object) => {
    const { pod } = object.value;
    const spec = getOrCreate(shared, pod.spec, () => templates.share(pod.spec));
    return spec === pod.spec ? object : { ...object, value: { ...object.value, pod: { ...pod, spec } } };
  });
  return { ...stored, objects };
}
