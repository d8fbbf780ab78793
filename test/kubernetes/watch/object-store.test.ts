import { describe, expect, it } from 'vitest';
import type { LiveReading } from '../../../shared/kubernetes/readers/live-object.ts';
import { createObjectStore } from '../../../shared/kubernetes/watch/object-store.ts';

const read = (value: string): LiveReading<string> => ({ outcome: 'read', value });
const unreadable: LiveReading<string> = {
  outcome: 'unreadable',
  object: { kind: 'Pod', name: 'a', why: 'spec: missing', forbids: [] },
};

describe('an object store', () => {
  it('finds an object in its stored version only', () => {
    const store = createObjectStore<string>();
    store.put('a', read('one'), '7');

    expect(store.findReading('a', '7')).toEqual(read('one'));
    expect(store.findReading('a', '8')).toBeUndefined();
    expect(store.findReading('b', '7')).toBeUndefined();
  });

  it('finds an unreadable object too', () => {
    const store = createObjectStore<string>();
    store.put('a', unreadable, '7');

    expect(store.findReading('a', '7')).toEqual(unreadable);
  });

  it('finds nothing without a version or after a removal', () => {
    const store = createObjectStore<string>();
    store.put('a', read('one'), undefined);
    store.put('b', read('two'), '7');
    store.remove('b');

    expect(store.findReading('a', '')).toBeUndefined();
    expect(store.findReading('b', '7')).toBeUndefined();
  });

  it('reports each change, from lists and watches', () => {
    const changes: (readonly [string | undefined, string | undefined])[] = [];
    const store = createObjectStore<string>((before, after) => changes.push([before, after]));
    store.put('a', read('one'), '1');
    store.put('a', read('one'), '2');
    store.replace({
      parsed: new Map([['b', read('two')]]),
      versions: new Map([['b', '3']]),
    });

    expect(changes).toEqual([
      [undefined, 'one'],
      ['one', undefined],
      [undefined, 'two'],
    ]);
  });
});
