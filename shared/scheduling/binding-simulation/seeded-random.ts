/**
 * Spreads an integer over all 32 bits. Results for neighbouring integers are unrelated.
 *
 * @see MurmurHash3, finaliser, by Austin Appleby (public domain)
 */
export function mixBits(state: number): number {
  let mixed = state;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** 2 ** 32 divided by the golden ratio: steps of this size visit every 32-bit number once. */
export const STATE_STEP = 0x9e37_79b9;

/** A stream of pseudo-random numbers in [0, 1). Equal seeds give equal streams. */
export type SeededRandom = () => number;

export function createSeededRandom(seed: number): SeededRandom {
  let state = Math.imul(seed, STATE_STEP);
  return () => {
    state = (state + STATE_STEP) | 0;
    return mixBits(state) / 2 ** 32;
  };
}
