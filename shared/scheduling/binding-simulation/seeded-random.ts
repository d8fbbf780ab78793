/**
 * The number that follows in a stream of whole numbers below 2 ** 32. Streams that begin with
 * neighbouring numbers have nothing in common.
 *
 * @param state - counted up by `STEP` from one draw to the next
 * @see MurmurHash3, its last step, by Austin Appleby (public domain)
 */
export function drawn(state: number): number {
  let mixed = state;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** 2 ** 32 in the golden section: counting by it meets every number once. */
export const STEP = 0x9e37_79b9;

/** Numbers below 1, always the same ones for one seed. */
export type Lot = () => number;

export function lotOf(seed: number): Lot {
  let state = Math.imul(seed, STEP);
  return () => {
    state = (state + STEP) | 0;
    return drawn(state) / 2 ** 32;
  };
}
