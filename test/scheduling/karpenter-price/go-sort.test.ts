import { describe, expect, it } from 'vitest';
import { sortAsGo } from '../../../shared/scheduling/karpenter-price/go-sort.ts';

const KEYS: Readonly<Record<string, (index: number, length: number) => number>> = {
  equal: () => 1,
  last: (index) => (index === 2 ? 2 : 1),
  mixed: (index) => (index * 7_919) % 5,
  desc: (index, length) => Math.floor((length - index) / 3),
  organ: (index, length) => Math.floor((index < length >> 1 ? index : length - index) / 2),
  saw: (index, length) => ((index * index * 31 + index * 17) % 97) % ((length >> 1) + 1),
};

/** Digests of the orders that Go 1.26 gives, by length. */
const SORTED_BY_GO: readonly (readonly [string, readonly (readonly [number, number])[]])[] = [
  [
    'equal',
    [
      [13, 584_343],
      [50, 753_130],
      [400, 788_482],
    ],
  ],
  [
    'last',
    [
      [13, 159_019],
      [50, 14_884],
      [400, 548_390],
    ],
  ],
  [
    'mixed',
    [
      [13, 175_014],
      [50, 493_531],
      [400, 664_947],
    ],
  ],
  [
    'desc',
    [
      [13, 862_266],
      [50, 973_743],
      [400, 403_687],
    ],
  ],
  [
    'organ',
    [
      [13, 623_277],
      [50, 193_788],
      [400, 738_265],
    ],
  ],
  [
    'saw',
    [
      [13, 189_007],
      [50, 129_418],
      [400, 247_814],
    ],
  ],
];

const MODULUS = 1_000_003;

/** Sorts positions by their keys, and computes a digest of their order. */
function sortPositions(name: string, length: number) {
  const positions = Array.from({ length }, (_, index) => index);
  const keyOf = (index: number): number => KEYS[name]?.(index, length) ?? 0;
  sortAsGo(positions, keyOf);
  const digest = positions.reduce((sum, index) => (sum * 31 + index) % MODULUS, 0);
  return { digest, keys: positions.map(keyOf) };
}

describe('sortAsGo', () => {
  it.each(SORTED_BY_GO)('gives equal elements the places that Go gives them: %s', (name, sorted) => {
    for (const [length, digest] of sorted) expect(sortPositions(name, length).digest).toBe(digest);
  });

  it('sorts by ascending keys', () => {
    for (const name of Object.keys(KEYS)) {
      const { keys } = sortPositions(name, 200);
      expect(keys).toEqual(keys.toSorted((a, b) => a - b));
    }
  });

  it('sorts keys for which it chooses many bad pivots', () => {
    const keys = Array.from({ length: 300 }, (_, index) => (index % 2 === 0 ? index : 300 - index));
    sortAsGo(keys, (key) => key);

    expect(keys).toEqual(keys.toSorted((a, b) => a - b));
  });
});
