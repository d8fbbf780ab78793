import { describe, expect, it } from 'vitest';
import { createRandomStream, drawMs, drawFor } from '../../shared/simulation/seeded-random.ts';

const draws = (count: number, draw: (index: number) => number): number[] =>
  Array.from({ length: count }, (_, index) => draw(index));

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('chance', () => {
  it('draws the same for the same seed and name', () => {
    const [one, two] = [createRandomStream(7, 'pods'), createRandomStream(7, 'pods')];

    expect(draws(20, one)).toEqual(draws(20, two));
  });

  it('draws otherwise for another seed, and for another name', () => {
    const first = draws(20, createRandomStream(7, 'pods'));

    expect(draws(20, createRandomStream(8, 'pods'))).not.toEqual(first);
    expect(draws(20, createRandomStream(7, 'nodes'))).not.toEqual(first);
  });

  it.each([
    ['a stream', createRandomStream(1, 'stream')],
    ['names counted up', (index: number) => drawFor(1, `general-${index}`)],
  ])('spreads %s evenly over 0 to 1', (_, draw) => {
    const values = draws(10_000, draw);

    expect(mean(values)).toBeCloseTo(0.5, 1);
    for (const tenth of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      const share = values.filter((value) => Math.floor(value * 10) === tenth).length / 10_000;
      expect(share).toBeGreaterThan(0.08);
      expect(share).toBeLessThan(0.12);
    }
  });

  it('draws whole milliseconds between two bounds', () => {
    const values = draws(1_000, (index) => drawMs(1, `boot ${index}`, 25_000, 40_000));

    expect(values.filter((value) => !Number.isInteger(value))).toEqual([]);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(25_000);
    expect(Math.max(...values)).toBeLessThanOrEqual(40_000);
  });
});
