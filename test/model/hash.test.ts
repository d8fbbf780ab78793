import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fnv1a32, fnv1a64, hashWithSeed, mixBits, shortHash, toNameSuffix } from '../../shared/model/hash.ts';

describe('hashes', () => {
  it('equal the published test vectors of FNV-1a', () => {
    expect(fnv1a32('').toString(16)).toBe('811c9dc5');
    expect(fnv1a32('foobar').toString(16)).toBe('bf9cf968');
    expect(fnv1a64('')).toBe('cbf29ce484222325');
    expect(fnv1a64('foobar')).toBe('85944171f73967e8');
  });

  it('stay the ones that stored names and recorded plans were made with', () => {
    expect(hashWithSeed('pods', 7)).toBe(2_901_366_981);
    expect(mixBits(1)).toBe(1_364_076_727);
    expect(shortHash('decision-1/general/0')).toBe('bj4sg');
  });

  it('of two parts, one after the other, equal the hash of the whole text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(fnv1a32(b, fnv1a32(a))).toBe(fnv1a32(`${a}${b}`));
      }),
    );
  });

  it('with 64 bits have 16 hexadecimal digits', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(fnv1a64(text)).toMatch(/^[0-9a-f]{16}$/);
      }),
    );
  });
});

describe('toNameSuffix', () => {
  it('writes as many characters as requested, all of them allowed in a node name', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 10 }), (value, length) => {
        const suffix = toNameSuffix(value, length);

        expect(suffix).toHaveLength(length);
        expect(suffix).toMatch(/^[b-df-hj-np-tv-z2-9]*$/);
      }),
    );
  });
});

describe('shortHash', () => {
  it('gives five characters without a vowel', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(shortHash(text)).toMatch(/^[b-df-hj-np-tv-z2-9]{5}$/);
      }),
    );
  });

  it('gives different results for the 2,000 claims of a decision', () => {
    const names = Array.from({ length: 2000 }, (_, ordinal) => shortHash(`2026-01-01T12:00:00Z/general/${ordinal}`));

    expect(new Set(names).size).toBe(names.length);
  });
});
