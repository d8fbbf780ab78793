import { hashWithSeed, mixBits } from './hash.ts';

/**
 * Pseudo-random numbers from seeds. Plans and simulations depend on the exact streams, so each
 * generator here is fixed for good. Decisions never use `Math.random`: a recorded snapshot has to
 * give the same plan again.
 */

/** A stream of pseudo-random numbers in [0, 1). */
export type RandomStream = () => number;

/** 2 ** 32 divided by the golden ratio: steps of this size visit every 32-bit number once. */
export const GOLDEN_STEP = 0x9e37_79b9;

/** Creates the stream that repair moves and binding orders draw from. Equal seeds give equal streams. */
export function createSeededRandom(seed: number): RandomStream {
  let state = Math.imul(seed, GOLDEN_STEP);
  return () => {
    state = (state + GOLDEN_STEP) | 0;
    return mixBits(state) / 2 ** 32;
  };
}

/**
 * Creates a stream from a seed.
 *
 * @see mulberry32, by Tommy Ettinger (public domain)
 */
export function createMulberry32(seed: number): RandomStream {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Creates an independent stream for each name, so that a new consumer of random numbers does not
 * shift the numbers that others get.
 *
 * @see sfc32, part of PractRand by Chris Doty-Humphrey (public domain)
 */
export function createNamedStream(seed: number, name: string): RandomStream {
  let a = hashWithSeed(name, seed);
  let b = hashWithSeed(name, seed ^ GOLDEN_STEP);
  let c = hashWithSeed(name, seed ^ 0x243f_6a88);
  let counter = 1;

  return () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
}

/** Draws the one number in [0, 1) that belongs to `key`, whatever else is drawn. */
export const drawFor = (seed: number, key: string): number => hashWithSeed(key, seed) / 2 ** 32;

/** Draws the number between `low` and `high` that belongs to `key`. */
export const drawBetween = (seed: number, key: string, low: number, high: number): number =>
  low + (high - low) * drawFor(seed, key);

/** Draws the whole number of milliseconds between `low` and `high` that belongs to `key`. */
export const drawMs = (seed: number, key: string, low: number, high: number): number =>
  Math.round(drawBetween(seed, key, low, high));
