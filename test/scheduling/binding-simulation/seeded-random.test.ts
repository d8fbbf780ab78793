import { describe, expect, it } from 'vitest';
import { lotOf } from '../../../shared/scheduling/binding-simulation/seeded-random.ts';

describe('the lot', () => {
  it('draws the same numbers for the same seed, all below 1', () => {
    const [once, again] = [lotOf(3), lotOf(3)];
    const numbers = Array.from({ length: 100 }, once);

    expect(numbers).toEqual(Array.from({ length: 100 }, again));
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  });

  it('begins anywhere for neighbouring seeds', () => {
    const firsts = Array.from({ length: 1000 }, (_, seed) => lotOf(seed)());
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => firsts.filter((first) => Math.floor(first * 10) === tenth).length,
    );

    expect(Math.min(...tenths)).toBeGreaterThan(60);
    expect(Math.max(...tenths)).toBeLessThan(140);
  });
});
