import { describe, expect, it } from 'vitest';
import type { ObjectChange } from '../../../shared/simulation/control-plane/object-store.ts';
import { createSimObjectStore } from '../../../shared/simulation/control-plane/object-store.ts';

describe('an object store', () => {
  it('lists objects in order of creation, whatever changed since', () => {
    const store = createSimObjectStore<string>();
    store.put('a', 'first');
    store.put('b', 'second');
    store.put('a', 'changed');

    expect(store.list()).toEqual(['changed', 'second']);
  });

  it('returns the same list until something changes', () => {
    const store = createSimObjectStore<string>();
    store.put('a', 'first');
    const before = store.list();

    expect(store.list()).toBe(before);
    store.put('b', 'second');

    expect(store.list()).not.toBe(before);
    expect(before).toEqual(['first']);
  });

  it('notifies watchers of each addition, change and removal', () => {
    const store = createSimObjectStore<string>();
    const changes: ObjectChange<string>[] = [];
    store.watch((change) => changes.push(change));

    store.put('a', 'first');
    store.put('a', 'second');
    store.remove('a');
    store.remove('a');

    expect(changes).toEqual([
      { before: undefined, after: 'first' },
      { before: 'first', after: 'second' },
      { before: 'second', after: undefined },
    ]);
    expect(store.version()).toBe(3);
  });
});
