import * as z from 'zod';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import { ApiExpiredError, ApiMalformedAnswerError } from '../client/api-errors.ts';
import { collectionPath } from '../client/api-resources.ts';
import type { ApiRequest, KubernetesApi, LineStream } from '../client/kubernetes-api.ts';
import { listObjects } from '../client/list-objects.ts';
import { readObjectIdentity } from '../readers/live-object.ts';
import { objectKey } from './object-store.ts';
import type { ObservedKind } from './observed-kinds.ts';

/**
 * Bookmarks come about once a minute. After a longer silence the connection may be dead without
 * having said so: a frozen function wakes up with such ones.
 */
const MAX_SILENCE_MS = 75_000;
/** The server ends a watch after this; a resumed one costs a request, not a list. */
const WATCH_SECONDS = 290;
/** A history of five minutes has most likely gone by then: to ask for it costs a request for nothing. */
const STALE_AFTER_MS = 4 * MINUTE_MS;
/** A resumed watch sends at once what was missed; nothing says where that ends but a pause. */
const CATCH_UP = { quietMs: 50, maxMs: SECOND_MS };

/** Keeps the store of one kind as the API server has it, with one list and a watch from there. */
export interface WatchCache {
  /**
   * Lists, or resumes where the last watch ended. What happened before is in the store, or on its
   * way: a watch does not say when it has caught up.
   */
  sync(): Promise<void>;
  /**
   * Settles once a resumed watch has told what was missed: when it falls silent, or tells of a moment
   * after it was resumed. In a burst it never falls silent.
   *
   * @param since - such a moment, as a resourceVersion
   */
  untilCaughtUp(since?: string): Promise<void>;
  isLive(): boolean;
  /** The newest moment that the store is known to show. */
  resourceVersion(): string | undefined;
  close(): void;
}

interface WatchCacheParts<T> {
  readonly api: KubernetesApi;
  readonly kind: ObservedKind<T>;
  readonly now: () => EpochMs;
}

export function createWatchCache<T>({ api, kind, now }: WatchCacheParts<T>): WatchCache {
  const { resource, store } = kind;
  const request: ApiRequest = {
    verb: 'watch',
    resource: resource.name,
    path: collectionPath(resource),
  };
  let version: string | undefined;
  let stream: LineStream | undefined;
  let lastEventAt = 0;
  let syncing: Promise<void> | undefined;
  let catchUp = CAUGHT_UP;
  let awaitedVersion: string | undefined;

  const isLive = (): boolean => stream !== undefined && now() - lastEventAt <= MAX_SILENCE_MS;

  async function list(): Promise<string> {
    const listing = await listObjects(api, kind);
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
    catchUp = isFreshlyListed ? CAUGHT_UP : startCatchUp(CATCH_UP);
    awaitedVersion = undefined;
    void follow(stream);
  }

  async function resume(): Promise<void> {
    if (isLive()) return;
    close();
    const resumeFrom = now() - lastEventAt > STALE_AFTER_MS ? undefined : version;
    if (resumeFrom === undefined) return openWatch(await list(), true);
    try {
      await openWatch(resumeFrom, false);
    } catch (error) {
      if (!(error instanceof ApiExpiredError)) throw error;
      await openWatch(await list(), true);
    }
  }

  /** It tells everything in its order: of what was before the awaited moment nothing can follow. */
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
      // Lost history or a torn line: only a list tells the truth. A lost connection: resume.
      const isLost = error instanceof ApiExpiredError || error instanceof ApiMalformedAnswerError;
      if (isLost && stream === followed) version = undefined;
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
    sync: () => (syncing ??= resume().finally(() => (syncing = undefined))),
    untilCaughtUp(since) {
      awaitedVersion = since;
      endIfReached();
      return catchUp.finished;
    },
    isLive,
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

/** Something that talks, and whether it has said what it had to. */
interface CatchUp {
  onEvent(): void;
  /** It will not say anything any more. */
  end(): void;
  /** Settles once it has been silent for a while, or has gone on for too long. */
  readonly finished: Promise<void>;
}

const CAUGHT_UP: CatchUp = { onEvent: () => {}, end: () => {}, finished: Promise.resolve() };

function startCatchUp({ quietMs, maxMs }: { quietMs: number; maxMs: number }): CatchUp {
  let end = (): void => {};
  const finished = new Promise<void>((resolve) => {
    end = resolve;
  });
  const finish = (): void => {
    clearTimeout(quietTimer);
    clearTimeout(deadlineTimer);
    end();
  };
  const quietTimer = setTimeout(finish, quietMs);
  const deadlineTimer = setTimeout(finish, maxMs);
  return { onEvent: () => quietTimer.refresh(), end: finish, finished };
}

/**
 * Versions of one kind are numbers that grow. What is none is taken for older than anything.
 *
 * @see kubernetes, KEP-5504
 */
export function isOlder(version: string | undefined, other: string): boolean {
  const [own, theirs] = [Number(version), Number(other)];
  return Number.isNaN(own) || Number.isNaN(theirs) || own < theirs;
}
