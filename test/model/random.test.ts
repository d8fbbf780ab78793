import { describe, expect, it } from 'vitest';
import { createMulberry32, createNamedStream, createSeededRandom, drawFor, drawMs } from '../../shared/model/random.ts';

const draws = (count: number, draw: (index: number) => number): number[] =>
  Array.from({ length: count }, (_, index) => draw(index));

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('pseudo-random numbers', () => {
  it.each([
    ['createSeededRandom', createSeededRandom(3), 0.2969988433178514],
    ['createMulberry32', createMulberry32(1), 0.6270739405881613],
    ['createNamedStream', createNamedStream(7, 'pods'), 0.009340699762105942],
  ])('begin with the number that recorded plans were made with: %s', (_, random, first) => {
    expect(random()).toBe(first);
  });

  it.each([
    ['createSeededRandom', createSeededRandom(1)],
    ['createMulberry32', createMulberry32(1)],
    ['createNamedStream', createNamedStream(1, 'stream')],
    ['drawFor of numbered names', (index: number) => drawFor(1, `general-${index}`)],
    ['the first numbers of neighbouring seeds', (seed: number) => createSeededRandom(seed)()],
  ])('are spread evenly over 0 to 1: %s', (_, draw) => {
    const values = draws(10_000, draw);

    expect(mean(values)).toBeCloseTo(0.5, 1);
    for (const tenth of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      const share = values.filter((value) => Math.floor(value * 10) === tenth).length / 10_000;
      expect(share).toBeGreaterThan(0.08);
      expect(share).toBeLessThan(0.12);
    }
  });
});

describe('createNamedStream', () => {
  it('gives equal numbers for an equal seed and name', () => {
    const [one, two] = [createNamedStream(7, 'pods'), createNamedStream(7, 'pods')];

    expect(draws(20, one)).toEqual(draws(20, two));
  });

  it('gives other numbers for another seed or another name', () => {
    const first = draws(20, createNamedStream(7, 'pods'));

    expect(draws(20, createNamedStream(8, 'pods'))).not.toEqual(first);
    expect(draws(20, createNamedStream(7, 'nodes'))).not.toEqual(first);
  });
});

describe('drawMs', () => {
  it('draws whole milliseconds between its bounds', () => {
    const values = draws(1_000, (index) => drawMs(1, `boot ${index}`, 25_000, 40_000));

    expect(values.filter((value) => !Number.isInteger(value))).toEqual([]);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(25_000);
    expect(Math.max(...values)).toBeLessThanOrEqual(40_000);
  });
});
