import * as z from 'zod';
import { shareWhileRunning } from '../../model/concurrency.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import { ApiExpiredError, ApiMalformedAnswerError } from '../client/api-errors.ts';
import { collectionPath } from '../client/api-resources.ts';
import type { ApiRequest, KubernetesApi, LineStream } from '../client/kubernetes-api.ts';
import { listObjects, readCurrentVersion } from '../client/list-objects.ts';
import { readObjectIdentity } from '../readers/live-object.ts';
import { objectKey } from './object-store.ts';
import type { ObservedKind } from './observed-kinds.ts';

/**
 * The watch protocol: how a copy of the cluster becomes current before each observation.
 *
 * Each kind is listed once and then watched. A Lambda function is frozen between invocations, so its watches
 * die and are resumed. The API server then sends the missed events at once, but does not mark where they
 * end. Bound pods and all other kinds may be a moment old; a pending pod must not be planned for twice.
 * `cluster-view.ts` runs these steps:
 *
 *     1 sync            2 catch up                 3 pending list          4 pod watch reaches it
 *     ───┬──────────────────┬─────────────────────────────┬────────────────────────┬──────▶ time
 *        │ watch from v100: │ v101 v102 ... v140          │ list pods without a    │ event or bookmark
 *        │ resume, no list  │ then 50 ms without an event │ node: as of v150       │ v150 or newer
 *
 * 1. `sync` opens closed watches at their last resourceVersion. It lists again if there is none, if the last
 *    event is too old for a try, or if the API server answers 410. It keeps the events of the last 75 s in
 *    any case, and in quiet clusters those of up to five minutes: a watch is served from its memory, never
 *    from etcd. A cold start takes pods and Nodes from the view that another process stored
 *    (`stored-view.ts`), and resumes from its version.
 * 2. `untilCaughtUp()` waits for a pause of 50 ms. A thousand kubelets leave none: after 100 ms
 *    without a pause, a list of one object gives the version that the watch has to reach.
 * 3. Pods without a node are listed, which is cheap: a list is current by definition.
 * 4. `untilCaughtUp(v150)` waits until the pod watch has reached the version of that list, or pauses. If the
 *    watch is still behind, pods that are pending only in the watch get another 500 ms; then the list
 *    replaces them.
 *
 * If a watch ended meanwhile, the observation starts again; after three rounds it fails. Versions of one kind
 * are compared as numbers (KEP-5504).
 *
 * How old the copy can be: a watch that is open and silent looks like a quiet cluster. TCP keep-alive ends a
 * half-open connection within 20 s (`http-transport.ts`). If an API server hangs whose machine still answers,
 * the missing bookmark ends the watch after 75 s. Pending pods are listed, and so are the pods of nodes that
 * are being drained (`watchedKubernetesCluster`); everything else of an observation may be that old. A copy that
 * is known to be old is never returned.
 */

/** Bookmarks arrive about once a minute. */
const MAX_SILENCE_MS = 75_000;
/** The server ends a watch after this time. Resuming costs one request and no list. */
const WATCH_SECONDS = 290;
/**
 * After this time the history is probably gone, so that a resume would only waste a request.
 *
 * @see Kubernetes, apiserver, storage/cacher: `DefaultEventFreshDuration` (75 s) and the resizing of
 *   the watch cache, which keeps more as long as it has room
 */
export const STALE_AFTER_MS = 4 * MINUTE_MS;
/**
 * The API server sends missed events at once and does not mark their end, so a pause marks it. The
 * maximum is for a watch that neither pauses nor reaches the awaited version.
 */
const CATCH_UP = { quietMs: 50, maxMs: SECOND_MS };
/** After a stored view there may be minutes of events to catch up with. */
const RESTORED_CATCH_UP = { quietMs: 200, maxMs: 10 * SECOND_MS };

/** Keeps the store of one kind equal to the API server with one list and a watch. */
export interface WatchCache {
  /** Opens the watch if it is closed: resumes it at the last resourceVersion, or lists first. */
  sync(): Promise<void>;
  /**
   * Resolves when a resumed watch has delivered the missed events: after a pause, or when it
   * reaches a version that was read after it was resumed.
   *
   * @param since - a resourceVersion read after the watch was resumed
   */
  untilCaughtUp(since?: string): Promise<void>;
  isLive(): boolean;
  /** True if the next `sync` would list the kind. */
  needsList(): boolean;
  /** Continues a store that was filled from elsewhere, as of this resourceVersion. */
  resumeFrom(resourceVersion: string, at: EpochMs): void;
  lastEventAt(): EpochMs;
  /** The newest resourceVersion that the store contains. */
  resourceVersion(): string | undefined;
  close(): void;
}

interface WatchCacheParts<T> {
  readonly api: KubernetesApi;
  readonly kind: ObservedKind<T>;
  readonly now: () => EpochMs;
  /** Called if the API server had lost the history, so that all objects are listed. */
  readonly onExpired?: (resource: string) => void;
}

export function createWatchCache<T>({ api, kind, now, onExpired = () => {} }: WatchCacheParts<T>): WatchCache {
  const { resource, store } = kind;
  const request: ApiRequest = {
    verb: 'watch',
    resource: resource.name,
    path: collectionPath(resource),
  };
  let version: string | undefined;
  let stream: LineStream | undefined;
  let lastEventAt = 0;
  let catchUp = CAUGHT_UP;
  let awaitedVersion: string | undefined;
  let isRestored = false;

  const isLive = (): boolean => stream !== undefined && now() - lastEventAt <= MAX_SILENCE_MS;

  async function list(): Promise<string> {
    const listing = await listObjects(api, kind);
    isRestored = false;
    store.replace(listing);
    version = listing.resourceVersion;
    return version;
  }

  async function openWatch(resourceVersion: string, isFreshlyListed: boolean): Promise<void> {
    const query = {
      watch: '1',
      resourceVersion,
      allowWatchBookmarks: 'true',
      timeoutSeconds: `${WATCH_SECONDS}`,
    };
    stream = await api.stream({ ...request, query });
    lastEventAt = now();
    const missed = isRestored ? RESTORED_CATCH_UP : CATCH_UP;
    isRestored = false;
    awaitedVersion = undefined;
    const resumed = stream;
    catchUp = isFreshlyListed ? CAUGHT_UP : startCatchUp(missed, () => void awaitCurrentVersion(resumed));
    void follow(resumed);
  }

  async function awaitCurrentVersion(resumed: LineStream): Promise<void> {
    try {
      const current = await readCurrentVersion(api, resource);
      if (stream !== resumed) return;
      awaitedVersion ??= current;
      endIfReached();
    } catch {
      // A pause or the maximum time ends the wait, later.
    }
  }

  const findResumableVersion = (): string | undefined => (now() - lastEventAt > STALE_AFTER_MS ? undefined : version);

  async function resume(): Promise<void> {
    if (isLive()) return;
    close();
    const resumable = findResumableVersion();
    if (resumable === undefined) return openWatch(await list(), true);
    try {
      await openWatch(resumable, false);
    } catch (error) {
      if (!(error instanceof ApiExpiredError)) throw error;
      onExpired(resource.name);
      await openWatch(await list(), true);
    }
  }

  /**
   * A watch delivers events in order: when it has reached the awaited version, nothing older
   * follows.
   */
  function endIfReached(): void {
    if (awaitedVersion !== undefined && !isOlder(version, awaitedVersion)) catchUp.end();
  }

  async function follow(followed: LineStream): Promise<void> {
    try {
      for await (const line of followed.lines) {
        if (stream !== followed) return;
        lastEventAt = now();
        catchUp.onEvent();
        apply(readEvent(request, line));
        endIfReached();
      }
    } catch (error) {
      // Lost history or a malformed line requires a new list; after a lost connection the watch is
      // resumed.
      const isLost = error instanceof ApiExpiredError || error instanceof ApiMalformedAnswerError;
      if (isLost && stream === followed) version = undefined;
      if (error instanceof ApiExpiredError) onExpired(resource.name);
    } finally {
      if (stream === followed) close();
    }
  }

  function apply({ type, object }: WatchEvent): void {
    const identity = readObjectIdentity(object);
    if (type === 'ERROR') throw new ApiExpiredError(request);
    if (type === 'BOOKMARK') {
      version = bookmarkSchema.parse(object).metadata.resourceVersion;
      return;
    }
    if (!identity) throw new ApiMalformedAnswerError(request, { why: 'an object without a name' });
    if (type === 'DELETED') store.remove(objectKey(identity));
    else store.put(objectKey(identity), kind.read(object), identity.resourceVersion);
    version = identity.resourceVersion ?? version;
  }

  function close(): void {
    catchUp.end();
    stream?.close();
    stream = undefined;
  }

  return {
    sync: shareWhileRunning(resume),
    untilCaughtUp(since) {
      awaitedVersion = since ?? awaitedVersion;
      endIfReached();
      return catchUp.finished;
    },
    isLive,
    needsList: () => !isLive() && findResumableVersion() === undefined,
    resumeFrom(resourceVersion, at) {
      close();
      version = resourceVersion;
      lastEventAt = at;
      isRestored = true;
    },
    lastEventAt: () => lastEventAt,
    resourceVersion: () => version,
    close,
  };
}

const eventSchema = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.unknown(),
});
type WatchEvent = z.output<typeof eventSchema>;

const bookmarkSchema = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

function readEvent(request: ApiRequest, line: string): WatchEvent {
  try {
    const event: unknown = JSON.parse(line);
    return eventSchema.parse(event);
  } catch (cause) {
    throw new ApiMalformedAnswerError(request, { why: 'no watch event', cause });
  }
}

/** Waits for the end of the missed events. */
interface CatchUp {
  onEvent(): void;
  /** No further events come. */
  end(): void;
  /** Resolves after a pause without events, or after the maximum time. */
  readonly finished: Promise<void>;
}

const CAUGHT_UP: CatchUp = { onEvent: () => {}, end: () => {}, finished: Promise.resolve() };

/**
 * @param onBusy - called once if there is no pause in twice its length
 */
function startCatchUp({ quietMs, maxMs }: { quietMs: number; maxMs: number }, onBusy: () => void): CatchUp {
  let end = (): void => {};
  const finished = new Promise<void>((resolve) => {
    end = resolve;
  });
  const finish = (): void => {
    clearTimeout(quietTimer);
    clearTimeout(busyTimer);
    clearTimeout(deadlineTimer);
    end();
  };
  const quietTimer = setTimeout(finish, quietMs);
  const busyTimer = setTimeout(onBusy, 2 * quietMs);
  const deadlineTimer = setTimeout(finish, maxMs);
  return { onEvent: () => quietTimer.refresh(), end: finish, finished };
}

/**
 * Compares resourceVersions of one kind, which are increasing numbers. An unparsable version counts
 * as older.
 *
 * @see Kubernetes, KEP-5504
 */
export function isOlder(version: string | undefined, other: string): boolean {
  const [own, theirs] = [Number(version), Number(other)];
  return Number.isNaN(own) || Number.isNaN(theirs) || own < theirs;
}
