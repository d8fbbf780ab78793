import { describe, expect, it } from 'vitest';
import type { LiveReading } from '../../../shared/kubernetes/readers/live-object.ts';
import { createObjectStore } from '../../../shared/kubernetes/watch/object-store.ts';

const read = (value: string): LiveReading<string> => ({ outcome: 'read', value });
const unreadable: LiveReading<string> = {
  outcome: 'unreadable',
  object: { kind: 'Pod', name: 'a', why: 'spec: missing', forbids: [] },
};

describe('what a store knows', () => {
  it('is an object in the version that it has, and in no other', () => {
    const store = createObjectStore<string>();
    store.put('a', read('one'), '7');

    expect(store.findReading('a', '7')).toEqual(read('one'));
    expect(store.findReading('a', '8')).toBeUndefined();
    expect(store.findReading('b', '7')).toBeUndefined();
  });

  it('is also that an object cannot be read', () => {
    const store = createObjectStore<string>();
    store.put('a', unreadable, '7');

    expect(store.findReading('a', '7')).toEqual(unreadable);
  });

  it('is nothing of what has no version, or is gone', () => {
    const store = createObjectStore<string>();
    store.put('a', read('one'), undefined);
    store.put('b', read('two'), '7');
    store.remove('b');

    expect(store.findReading('a', '')).toBeUndefined();
    expect(store.findReading('b', '7')).toBeUndefined();
  });

  it('is told of as it changes, by whatever list or watch', () => {
    const changes: (readonly [string | undefined, string | undefined])[] = [];
    const store = createObjectStore<string>((before, after) => changes.push([before, after]));
    store.put('a', read('one'), '1');
    store.put('a', read('one'), '2');
    store.replace({
      readings: new Map([['b', read('two')]]),
      versions: new Map([['b', '3']]),
    });

    expect(changes).toEqual([
      [undefined, 'one'],
      ['one', undefined],
      [undefined, 'two'],
    ]);
  });
});
