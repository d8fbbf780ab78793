import { isDeepStrictEqual } from 'node:util';
import type { UnreadableObject } from '../../model/cluster-snapshot.ts';
import type { StoredKind, StoredObject } from '../../ports/view-store.ts';
import type { LiveReading } from '../readers/live-object.ts';

/** The results of a list, with the resourceVersion of each object. */
export interface StoredListing<T> {
  readonly parsed: ReadonlyMap<string, LiveReading<T>>;
  readonly versions: ReadonlyMap<string, string>;
}

export type ObjectChangeListener<T> = (before: T | undefined, after: T | undefined) => void;

/**
 * The objects of one kind by `namespace/name`. Unchanged objects and lists stay identical, because
 * decisions cache results by identity.
 */
export interface ObjectStore<T> {
  /** Replaces all objects; what is not in `all` is removed. */
  replace(all: StoredListing<T>): void;
  put(key: string, reading: LiveReading<T>, version: string | undefined): void;
  /** The object stored under the key in that version; it need not be parsed again. */
  findReading(key: string, version: string): LiveReading<T> | undefined;
  remove(key: string): void;
  get(key: string): T | undefined;
  keys(): readonly string[];
  /** Sorted by key, like lists of the API server. */
  values(): readonly T[];
  unreadable(): readonly UnreadableObject[];
  /** All objects with their resourceVersions, sorted by key. */
  stored(): Pick<StoredKind<T>, 'objects' | 'unreadable'>;
}

export function createObjectStore<T>(onChange: ObjectChangeListener<T> = () => {}): ObjectStore<T> {
  const values = new Map<string, T>();
  const unreadable = new Map<string, UnreadableObject>();
  const versions = new Map<string, string>();
  let sortedValues: readonly T[] | undefined;

  function set(key: string, value: T | undefined): void {
    const before = values.get(key);
    if (before === value || isDeepStrictEqual(before, value)) return;
    if (value === undefined) values.delete(key);
    else values.set(key, value);
    sortedValues = undefined;
    onChange(before, value);
  }

  function put(key: string, reading: LiveReading<T>, version = ''): void {
    versions.set(key, version);
    if (reading.outcome === 'read') {
      unreadable.delete(key);
      set(key, reading.value);
    } else {
      unreadable.set(key, reading.object);
      set(key, undefined);
    }
  }

  function remove(key: string): void {
    versions.delete(key);
    unreadable.delete(key);
    set(key, undefined);
  }

  const withVersions = <V>(of: ReadonlyMap<string, V>): readonly StoredObject<V>[] =>
    [...of]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => ({ version: versions.get(key) ?? '', value }));

  return {
    put,
    remove,
    replace({ parsed, versions: newVersions }) {
      const keys = [...values.keys(), ...unreadable.keys()];
      for (const key of keys) if (!parsed.has(key)) remove(key);
      for (const [key, reading] of parsed) put(key, reading, newVersions.get(key));
    },
    findReading(key, version) {
      if (version === '' || versions.get(key) !== version) return undefined;
      const object = unreadable.get(key);
      if (object) return { outcome: 'unreadable', object };
      const value = values.get(key);
      return value === undefined ? undefined : { outcome: 'read', value };
    },
    get: (key) => values.get(key),
    keys: () => [...values.keys()],
    values: () => (sortedValues ??= sortByKey(values)),
    unreadable: () => sortByKey(unreadable),
    stored: () => ({ objects: withVersions(values), unreadable: withVersions(unreadable) }),
  };
}

const sortByKey = <T>(values: ReadonlyMap<string, T>): readonly T[] =>
  [...values].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);

/** `namespace/name`; `/name` for a cluster-scoped kind. */
export const objectKey = ({ namespace = '', name }: { namespace?: string; name: string }): string =>
  `${namespace}/${name}`;
