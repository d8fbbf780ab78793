import type { Change } from './object-store.ts';

/** Objects grouped by something that they hold, kept true change by change. */
export interface ObjectIndex<G, T> {
  /** By object key, in the order in which they joined the group. */
  of(group: G): ReadonlyMap<string, T>;
  groups(): IterableIterator<G>;
  apply(change: Change<T>): void;
}

/** @param groupOf - absent: the object is in no group */
export function createObjectIndex<G, T>(
  keyOf: (object: T) => string,
  groupOf: (object: T) => G | undefined,
): ObjectIndex<G, T> {
  const groups = new Map<G, Map<string, T>>();

  function leave(group: G, key: string): void {
    const members = groups.get(group);
    members?.delete(key);
    if (members?.size === 0) groups.delete(group);
  }

  function join(group: G, object: T): void {
    const members = groups.get(group);
    if (members) members.set(keyOf(object), object);
    else groups.set(group, new Map([[keyOf(object), object]]));
  }

  return {
    of: (group) => groups.get(group) ?? new Map<string, T>(),
    groups: () => groups.keys(),
    apply({ before, after }) {
      const left = before && groupOf(before);
      const joined = after && groupOf(after);
      if (before && left !== undefined && left !== joined) leave(left, keyOf(before));
      if (after && joined !== undefined) join(joined, after);
    },
  };
}
