import type { Clock } from '../ports/clock.ts';
import type { ClusterObjects } from '../ports/cluster.ts';
import { ApiUnreachableError } from './api-errors.ts';
import { createAssembler } from './cluster-objects.ts';
import { type ClusterChange, hintsOfChange, type TimedHint } from './hints-of-change.ts';
import { keepWatching } from './keep-watching.ts';
import { createKinds, type Kind, settingsOf } from './kinds.ts';
import type { KubernetesApi } from './kubernetes-api.ts';
import { type Listing, listObjects } from './list-objects.ts';
import { observeOwners } from './observe-owners.ts';
import type { ObservedPod } from './read-pod.ts';
import { createWatchCache, type WatchCache } from './watch-cache.ts';

/** A warm process keeps what it knows of the cluster, and hears of changes. */
export interface ClusterView {
  observe(): Promise<ClusterObjects>;
  /**
   * From now on tells where to look, as the admission webhook would; a first `sweep` stands for all
   * that happened before.
   *
   * @returns how to stop
   */
  subscribe(subscriber: Subscriber): () => void;
  /** Ends the watches; the next observation opens them again. */
  close(): void;
}

export interface Subscriber {
  hear(hint: TimedHint): void;
  /** A watch could not be opened: it is tried again, later each time. */
  trouble?(error: unknown): void;
}

interface ClusterViewParts {
  readonly api: KubernetesApi;
  readonly clock: Clock;
}

/** A watch may be told right after it began that its history is gone. */
const MOST_ROUNDS = 3;

export function createClusterView({ api, clock }: ClusterViewParts): ClusterView {
  const now = (): number => clock.now();
  const subscribers = new Set<(change: ClusterChange) => void>();
  const kinds = createKinds(now, (change) => {
    for (const changed of subscribers) changed(change);
  });
  const assemble = createAssembler(kinds);
  const watching = <T>(kind: Kind<T>): WatchCache => createWatchCache({ api, kind, now });
  const settings = settingsOf(kinds).map(watching);
  const pods = watching(kinds.pods);
  const caches = [...settings, pods];

  return {
    async observe() {
      for (let round = 1; round <= MOST_ROUNDS; round += 1) {
        await Promise.all(caches.map((cache) => cache.sync()));
        // Bound pods and the rest come from the watches, pods without a node from a list: a pod
        // that is bound in between is missing from the batch, never in it twice.
        const pending = await listObjects(api, kinds.pods, { fieldSelector: 'spec.nodeName=' });
        if (!caches.every(isLive)) continue;
        if (isOlder(pods.resourceVersion(), pending)) takeOver(kinds.pods, pending);
        const objects = assemble();
        return { ...objects, ...(await observeOwners(api, objects.pods, now())) };
      }
      throw new ApiUnreachableError(WATCHING, { why: 'watches end as soon as they begin' });
    },
    subscribe({ hear, trouble = () => {} }) {
      const changed = (change: ClusterChange): void => {
        for (const hint of hintsOfChange(change, now())) hear(hint);
      };
      const stop = keepWatching({
        caches,
        onReady() {
          subscribers.add(changed);
          hear({ hint: { topic: 'sweep' }, afterMs: 0 });
        },
        onTrouble: trouble,
      });
      return () => {
        stop();
        subscribers.delete(changed);
      };
    },
    close: () => {
      for (const cache of caches) cache.close();
    },
  };
}

const WATCHING = { verb: 'watch', resource: 'the cluster' } as const;

const isLive = (cache: WatchCache): boolean => cache.isLive();

/** Versions of one kind are numbers that grow. @see kubernetes, KEP-5504 */
function isOlder(version: string | undefined, { resourceVersion }: Listing<unknown>): boolean {
  const [own, theirs] = [Number(version), Number(resourceVersion)];
  return Number.isNaN(own) || Number.isNaN(theirs) || own < theirs;
}

/** The list is newer than the watch: pods without a node are what it says, and no others. */
function takeOver({ store }: Kind<ObservedPod>, { readings }: Listing<ObservedPod>): void {
  for (const key of store.keys()) {
    const isPending = store.get(key)?.pod.nodeName === undefined;
    if (isPending && !readings.has(key)) store.remove(key);
  }
  for (const [key, reading] of readings) store.put(key, reading);
}
