/** More than any cluster has of one kind of value at a time. */
const MOST_VALUES = 50_000;

/**
 * Hands out one object for all equal values, so that 150,000 pods hold some hundred specs, and what
 * decisions remember of a spec holds for every pod that has it.
 */
export interface Interner<T> {
  /** The value that was first seen under `key`, else the one that `make` makes. */
  share(key: string, make: () => T): T;
}

export function createInterner<T>(): Interner<T> {
  const values = new Map<string, T>();
  return {
    share(key, make) {
      const known = values.get(key);
      if (known !== undefined) return known;
      // Forgetting costs a second copy, nothing else.
      if (values.size >= MOST_VALUES) values.clear();
      const value = make();
      values.set(key, value);
      return value;
    },
  };
}
