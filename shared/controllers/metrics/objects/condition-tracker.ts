import type { EpochMs } from '../../../model/time.ts';

/** A condition of an object as it was read. */
export interface ObservedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  /** When its status changed last; undefined if the object does not tell. */
  readonly since?: EpochMs;
}

export interface TrackedObject {
  readonly name: string;
  readonly conditions: readonly ObservedCondition[];
}

/** A condition with the time from which it has had its status. */
export interface TrackedCondition extends ObservedCondition {
  readonly name: string;
  readonly since: EpochMs;
}

/** A condition that has another status than at the last observation. */
export interface Transition<O extends TrackedObject> {
  readonly object: O;
  readonly before: TrackedCondition;
  readonly after: TrackedCondition;
}

/** Remembers the conditions of the objects of one kind between observations. */
export interface ConditionTracker<O extends TrackedObject> {
  /**
   * Replaces all objects.
   *
   * @returns the conditions that changed; conditions that appear or disappear are not among them
   */
  observe(objects: readonly O[], now: EpochMs): readonly Transition<O>[];
  list(): readonly { readonly object: O; readonly condition: TrackedCondition }[];
  clear(): void;
}

export function createConditionTracker<O extends TrackedObject>(): ConditionTracker<O> {
  let current = new Map<string, { readonly object: O; readonly condition: TrackedCondition }>();

  return {
    observe(objects, now) {
      const last = current;
      const transitions: Transition<O>[] = [];
      current = new Map();
      for (const object of objects) {
        for (const observed of object.conditions) {
          const key = `${object.name} ${observed.type}`;
          const before = last.get(key)?.condition;
          const isSame = before?.status === observed.status;
          const since = observed.since ?? (isSame ? before.since : now);
          const after = { ...observed, name: object.name, since };
          current.set(key, { object, condition: after });
          if (before && !isSame) transitions.push({ object, before, after });
        }
      }
      return transitions;
    },
    list: () => [...current.values()],
    clear() {
      current = new Map();
    },
  };
}
