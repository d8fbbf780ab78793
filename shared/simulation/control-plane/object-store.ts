import { getOrCreate } from '../../model/memo.ts';
/** `before` is `undefined` for a new object, `after` for a deleted one. */
export interface ObjectChange<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

type Watcher<T> = (change: ObjectChange<T>) => void;

/**
 * The objects of one kind. Objects are replaced, never mutated, so that an object's identity is its
 * version.
 */
export interface SimObjectStore<T> {
  get(key: string): T | undefined;
  /** In order of creation. Returns the same array until an object of this kind changes. */
  list(): readonly T[];
  /** Increases by one with every write. */
  version(): number;
  put(key: string, object: T): void;
  /** No error if the object does not exist. */
  remove(key: string): void;
  /**
   * Watchers update their own state or schedule work on the clock; they must not write
   * synchronously.
   */
  watch(watcher: Watcher<T>): void;
}

export function createSimObjectStore<T>(): SimObjectStore<T> {
  const objects = new Map<string, T>();
  const watchers: Watcher<T>[] = [];
  let listed: readonly T[] | undefined = [];
  let version = 0;

  function notifyWatchers(change: ObjectChange<T>): void {
    listed = undefined;
    version += 1;
    for (const watcher of watchers) watcher(change);
  }

  return {
    get: (key) => objects.get(key),
    list: () => (listed ??= [...objects.values()]),
    version: () => version,
    put(key, object) {
      const before = objects.get(key);
      objects.set(key, object);
      notifyWatchers({ before, after: object });
    },
    remove(key) {
      const before = objects.get(key);
      if (objects.delete(key)) notifyWatchers({ before, after: undefined });
    },
    watch(watcher) {
      watchers.push(watcher);
    },
  };
}

/** Objects grouped by a property, updated with every change. */
interface ObjectIndex<G, T> {
  /** By object key, in the order in which objects joined the group. */
  of(group: G): ReadonlyMap<string, T>;
  groups(): IterableIterator<G>;
  apply(change: ObjectChange<T>): void;
}

/**
 * @param toGroup - returns `undefined` for an object outside all groups
 */
export function createObjectIndex<G, T>(
  toKey: (object: T) => string,
  toGroup: (object: T) => G | undefined,
): ObjectIndex<G, T> {
  const groups = new Map<G, Map<string, T>>();

  function leave(group: G, key: string): void {
    const members = groups.get(group);
    members?.delete(key);
    if (members?.size === 0) groups.delete(group);
  }

  function join(group: G, object: T): void {
    getOrCreate(groups, group, () => new Map()).set(toKey(object), object);
  }

  return {
    of: (group) => groups.get(group) ?? new Map<string, T>(),
    groups: () => groups.keys(),
    apply({ before, after }) {
      const previousGroup = before && toGroup(before);
      const nextGroup = after && toGroup(after);
      if (before && previousGroup !== undefined && previousGroup !== nextGroup) leave(previousGroup, toKey(before));
      if (after && nextGroup !== undefined) join(nextGroup, after);
    },
  };
}
