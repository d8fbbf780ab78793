import { describe, expect, it } from 'vitest';
import { getOrCreate, memoize, memoizeBy, onFirstUse } from '../../shared/model/memo.ts';

describe('getOrCreate', () => {
  it('adds the created value, and returns it from then on', () => {
    const lists = new Map<string, string[]>();

    getOrCreate(lists, 'zone', () => []).push('a');
    getOrCreate(lists, 'zone', () => ['never']).push('b');

    expect(lists).toEqual(new Map([['zone', ['a', 'b']]]));
  });

  it('returns an existing 0 or empty text', () => {
    expect(getOrCreate(new Map([['a', 0]]), 'a', () => 1)).toBe(0);
    expect(getOrCreate(new Map([['a', '']]), 'a', () => 'other')).toBe('');
  });

  it('passes the key to the function that creates the value', () => {
    expect(getOrCreate(new Map<string, string>(), 'a', (key) => `${key}!`)).toBe('a!');
  });

  it('leaves the map as it is if the value cannot be created', () => {
    const map = new Map<string, number>();

    expect(() =>
      getOrCreate(map, 'a', () => {
        throw new Error('no value');
      }),
    ).toThrow('no value');
    expect(map.size).toBe(0);
  });
});

describe('memoize', () => {
  it('computes the result once for each object, and again for an equal copy', () => {
    let runs = 0;
    const length = memoize((list: readonly string[]) => {
      runs += 1;
      return list.length;
    });
    const list = ['a', 'b'];

    expect([length(list), length(list), length([...list])]).toEqual([2, 2, 2]);
    expect(runs).toBe(2);
  });
});

describe('memoizeBy', () => {
  it('computes the result again only if the selected part is another object', () => {
    let runs = 0;
    const first = memoizeBy(
      ({ pods }: { readonly pods: readonly string[]; readonly now: number }) => pods,
      ({ pods }) => {
        runs += 1;
        return pods[0];
      },
    );
    const pods: readonly string[] = [];

    expect([first({ pods, now: 1 }), first({ pods, now: 2 })]).toEqual([undefined, undefined]);
    expect(first({ pods: ['web'], now: 2 })).toBe('web');
    expect(runs).toBe(2);
  });
});

describe('onFirstUse', () => {
  it('makes the object on the first call, and returns the same object afterwards', () => {
    let runs = 0;
    const made = onFirstUse(() => {
      runs += 1;
      return {};
    });

    expect(runs).toBe(0);
    expect(made()).toBe(made());
    expect(runs).toBe(1);
  });
});
