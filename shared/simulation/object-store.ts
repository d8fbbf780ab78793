/** `before` absent: added; `after` absent: deleted. */
export interface Change<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

type Watcher<T> = (change: Change<T>) => void;

/**
 * The objects of one kind. An object is replaced, never changed, so that its identity is its
 * version: who holds the one that `get` returns holds the newest.
 */
export interface ObjectStore<T> {
  get(key: string): T | undefined;
  /** In order of creation; the same array until something of this kind changes. */
  list(): readonly T[];
  /** Grows by one with every write. */
  version(): number;
  put(key: string, object: T): void;
  /** No error if absent. */
  remove(key: string): void;
  /** Watchers take note, or schedule work on the clock; they never write at once. */
  watch(watcher: Watcher<T>): void;
}

export function createObjectStore<T>(): ObjectStore<T> {
  const objects = new Map<string, T>();
  const watchers: Watcher<T>[] = [];
  let listed: readonly T[] | undefined = [];
  let version = 0;

  function announce(change: Change<T>): void {
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
      announce({ before, after: object });
    },
    remove(key) {
      const before = objects.get(key);
      if (objects.delete(key)) announce({ before, after: undefined });
    },
    watch(watcher) {
      watchers.push(watcher);
    },
  };
}
