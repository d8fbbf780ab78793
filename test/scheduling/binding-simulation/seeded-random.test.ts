import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../shared/scheduling/binding-simulation/seeded-random.ts';

describe('createSeededRandom', () => {
  it('gives equal numbers below 1 for equal seeds', () => {
    const [once, again] = [createSeededRandom(3), createSeededRandom(3)];
    const numbers = Array.from({ length: 100 }, once);

    expect(numbers).toEqual(Array.from({ length: 100 }, again));
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  });

  it('gives unrelated first numbers for neighbouring seeds', () => {
    const firsts = Array.from({ length: 1000 }, (_, seed) => createSeededRandom(seed)());
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => firsts.filter((first) => Math.floor(first * 10) === tenth).length,
    );

    expect(Math.min(...tenths)).toBeGreaterThan(60);
    expect(Math.max(...tenths)).toBeLessThan(140);
  });
});
