import { isDeepStrictEqual } from 'node:util';
import { getOrCreate } from '../../../shared/model/memo.ts';
import type { RawObject } from './raw-object.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: unknown;
}

interface Recorded extends WatchEvent {
  readonly collection: string;
  readonly version: number;
}

/**
 * The storage of the API double, like etcd: objects by path, one version counter and a limited
 * history.
 */
export interface ObjectTable {
  readonly version: () => number;
  find(collection: string, key: string): RawObject | undefined;
  list(collection: string): readonly RawObject[];
  /** Stores the object under a new version; equal content keeps the old version. */
  put(collection: string, object: RawObject): RawObject;
  remove(collection: string, key: string): void;
  /** Returns `undefined` if the history does not reach back that far. */
  since(collection: string, version: number): readonly WatchEvent[] | undefined;
  watch(collection: string, tell: (event: WatchEvent) => void): () => void;
  bookmark(): void;
  forgetHistory(): void;
}

/** `namespace/name`, the key of the table. */
export const keyOf = ({ metadata }: RawObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

export function createObjectTable(): ObjectTable {
  const collections = new Map<string, Map<string, RawObject>>();
  const watchers = new Set<{ collection: string; tell: (event: WatchEvent) => void }>();
  let history: Recorded[] = [];
  let oldest = 0;
  let version = 100;

  const of = (collection: string): Map<string, RawObject> => {
    return getOrCreate(collections, collection, () => new Map());
  };

  function record(collection: string, event: WatchEvent): void {
    history.push({ ...event, collection, version });
    for (const watcher of watchers) {
      if (watcher.collection === collection) watcher.tell(event);
    }
  }

  return {
    version: () => version,
    find: (collection, key) => of(collection).get(key),
    list: (collection) => [...of(collection)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object),
    put(collection, object) {
      const before = of(collection).get(keyOf(object));
      if (before && isDeepStrictEqual(before, object)) return before;
      version += 1;
      const isChanged = before === undefined || !isDeepStrictEqual(before.spec, object.spec);
      const stored: RawObject = {
        ...object,
        metadata: {
          uid: before?.metadata.uid ?? `uid-${version}`,
          creationTimestamp: before?.metadata.creationTimestamp ?? '2026-01-01T12:00:00Z',
          ...object.metadata,
          generation: (before?.metadata.generation ?? 0) + (isChanged ? 1 : 0),
          resourceVersion: `${version}`,
        },
      };
      of(collection).set(keyOf(stored), stored);
      record(collection, { type: before ? 'MODIFIED' : 'ADDED', object: stored });
      return stored;
    },
    remove(collection, key) {
      const object = of(collection).get(key);
      if (!object) return;
      of(collection).delete(key);
      version += 1;
      const metadata = { ...object.metadata, resourceVersion: `${version}` };
      record(collection, { type: 'DELETED', object: { ...object, metadata } });
    },
    since: (collection, from) =>
      from < oldest ? undefined : history.filter((event) => event.collection === collection && event.version > from),
    watch(collection, tell) {
      const watcher = { collection, tell };
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    bookmark() {
      for (const { tell } of watchers) {
        tell({ type: 'BOOKMARK', object: { metadata: { resourceVersion: `${version}` } } });
      }
    },
    forgetHistory() {
      version += 1;
      oldest = version;
      history = [];
    },
  };
}
