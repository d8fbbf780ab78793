import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addBit,
  createEmptyBitset,
  createFullBitset,
  hasBit,
  intersection,
  isEmptyBitset,
  listBits,
  nextBit,
  union,
} from '../../../shared/scheduling/data-structures/bitset.ts';

const SIZE = 100;
const anyBits = fc.uniqueArray(fc.nat(SIZE - 1));
const setOf = (bits: readonly number[]) => {
  const set = createEmptyBitset(SIZE);
  for (const bit of bits) addBit(set, bit);
  return set;
};
const ascending = (bits: Iterable<number>) => [...bits].toSorted((a, b) => a - b);

describe('a bitset', () => {
  it('lists its members in ascending order', () => {
    fc.assert(
      fc.property(anyBits, (bits) => {
        const set = setOf(bits);

        expect(listBits(set)).toEqual(ascending(bits));
        expect(isEmptyBitset(set)).toBe(bits.length === 0);
        for (let bit = 0; bit < SIZE; bit++) expect(hasBit(set, bit)).toBe(bits.includes(bit));
      }),
    );
  });

  it('can be iterated from any number on', () => {
    fc.assert(
      fc.property(anyBits, fc.nat(2 * SIZE), (bits, start) => {
        const later = ascending(bits).find((bit) => bit >= start);

        expect(nextBit(setOf(bits), start)).toBe(later ?? -1);
      }),
    );
  });

  it('supports intersection and union', () => {
    fc.assert(
      fc.property(anyBits, anyBits, (remaining, right) => {
        const [both, either] = [remaining.filter((bit) => right.includes(bit)), [...remaining, ...right]];

        expect(listBits(intersection(setOf(remaining), setOf(right)))).toEqual(ascending(both));
        expect(listBits(union(setOf(remaining), setOf(right)))).toEqual(ascending(new Set(either)));
      }),
    );
  });

  it('does not change the operands', () => {
    const [a, b] = [setOf([1, 40]), setOf([40, 99])];
    intersection(a, b);
    union(a, b);

    expect([listBits(a), listBits(b)]).toEqual([
      [1, 40],
      [40, 99],
    ]);
  });

  it.each([0, 1, 31, 32, 33, 64, 100])('can be filled up to its size, %i', (size) => {
    expect(listBits(createFullBitset(size))).toEqual(Array.from({ length: size }, (_, bit) => bit));
  });
});
