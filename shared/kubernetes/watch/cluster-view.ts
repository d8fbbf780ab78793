import type { FeatureGates } from '../../model/settings.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { ApiUnreachableError } from '../client/api-errors.ts';
import { createAssembler } from './assemble-objects.ts';
import { type ClusterChange, hintsOfChange, type TimedHint } from './hints-of-change.ts';
import { keepWatching } from './keep-watching.ts';
import { createKinds, type Kind, settingsOf } from './observed-kinds.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { type Listing, listObjects } from '../client/list-objects.ts';
import { createDeviceLister } from '../readers/observe-devices.ts';
import { createExtensions } from '../readers/observe-extensions.ts';
import { observeWished } from '../readers/observe-on-request.ts';
import type { ObservedPod } from '../readers/read-pod.ts';
import { createWatchCache, isOlder, type WatchCache } from './watch-cache.ts';

/** A warm process keeps what it knows of the cluster, and hears of changes. */
export interface ClusterView {
  /** Opens what is not open, so that an observation that follows soon finds it caught up. */
  prepare(): Promise<void>;
  observe: Cluster['observe'];
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

export interface ClusterViewParts {
  readonly api: KubernetesApi;
  readonly clock: Clock;
  /** The process stands still between the times that it is asked. */
  readonly mayFreeze?: boolean;
  /** Which kinds beside the usual ones are read; absent: none. */
  readonly gates?: FeatureGates;
}

/**
 * Who was not asked for so long may have been frozen: what was sent meanwhile comes by and by, as
 * TCP repeats itself, and nothing tells a late connection from a dead one.
 */
const FROZEN_AFTER_MS = 2 * SECOND_MS;
/** How long the watch may take to tell what became of pods that are not pending any more. */
const TELLING_MS = 500;

/** A watch may be told right after it began that its history is gone. */
const MOST_ROUNDS = 3;

export function createClusterView({
  api,
  clock,
  mayFreeze = false,
  gates,
}: ClusterViewParts): ClusterView {
  const now = (): number => clock.now();
  const subscribers = new Set<(change: ClusterChange) => void>();
  const kinds = createKinds(now, (change) => {
    for (const changed of subscribers) changed(change);
  });
  const assemble = createAssembler(kinds);
  const sources = { api, listDevices: createDeviceLister(api) };
  const extensions = createExtensions(api, kinds.templates, gates);
  const watching = <T>(kind: Kind<T>): WatchCache => createWatchCache({ api, kind, now });
  const settings = settingsOf(kinds).map(watching);
  const pods = watching(kinds.pods);
  const caches = [...settings, pods];

  let askedAt = Number.NEGATIVE_INFINITY;
  let asking = 0;

  /** Has the watches opened anew if they may have been frozen; a slow answer is no pause. */
  async function asked<T>(answer: () => Promise<T>): Promise<T> {
    if (mayFreeze && asking === 0 && now() - askedAt > FROZEN_AFTER_MS) close();
    asking += 1;
    try {
      return await answer();
    } finally {
      asking -= 1;
      askedAt = now();
    }
  }

  const sync = async (): Promise<void> => {
    await Promise.all(caches.map((cache) => cache.sync()));
  };

  /**
   * Bound pods and the rest come from the watches, pods without a node from a list, whichever is
   * newer: a pod that is bound in between is missing from the batch, never in it twice.
   *
   * @returns whether all watches lived through it
   */
  async function look(): Promise<boolean> {
    await sync();
    await Promise.all(settings.map((cache) => cache.caughtUp()));
    const pending = await listObjects(api, kinds.pods, { fieldSelector: 'spec.nodeName=' });
    await pods.caughtUp(pending.resourceVersion);
    const isBehind = (): boolean => isOlder(pods.resourceVersion(), pending.resourceVersion);
    await until(() => !isBehind() || leftBehind(kinds.pods, pending).length === 0, TELLING_MS);
    if (isBehind()) takeOver(kinds.pods, pending);
    return caches.every(isLive);
  }

  async function lookUntilWhole(): Promise<void> {
    for (let round = 1; round <= MOST_ROUNDS; round += 1) if (await look()) return;
    throw new ApiUnreachableError(WATCHING, { why: 'watches end as soon as they begin' });
  }

  function close(): void {
    for (const cache of caches) cache.close();
  }

  return {
    prepare: () => asked(sync),
    async observe(wish = {}) {
      await asked(lookUntilWhole);
      const objects = { ...assemble(), ...(await extensions()) };
      return { ...objects, ...(await observeWished(sources, wish, objects.pods, now())) };
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
    close,
  };
}

const WATCHING = { verb: 'watch', resource: 'the cluster' } as const;

const isLive = (cache: WatchCache): boolean => cache.isLive();

type Pending = Listing<ObservedPod>;

/** Pods that the watch has without a node, and the list not at all: bound or gone by now. */
const leftBehind = ({ store }: Kind<ObservedPod>, { readings }: Pending): readonly string[] =>
  store.keys().filter((key) => {
    const isPending = store.get(key)?.pod.nodeName === undefined;
    return isPending && !readings.has(key);
  });

/** The list is newer than the watch: pods without a node are what it says, and no others. */
function takeOver(kind: Kind<ObservedPod>, pending: Pending): void {
  for (const key of leftBehind(kind, pending)) kind.store.remove(key);
  for (const [key, reading] of pending.readings) {
    kind.store.put(key, reading, pending.versions.get(key));
  }
}

async function until(isTrue: () => boolean, mostMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < mostMs && !isTrue(); waitedMs += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
const POLL_MS = 5;
