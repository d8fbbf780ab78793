/** Numbers in [0, 1). */
export type RandomStream = () => number;

/** FNV-1a with an avalanche at its end, so that names that differ in one letter differ in all bits. */
export function hashText(text: string, basis: number): number {
  let hash = (0x811c9dc5 ^ basis) >>> 0;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mixBits(hash);
}

/** Spreads an integer over all 32 bits (the finaliser of MurmurHash3). */
export function mixBits(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/**
 * The one draw that belongs to `key`: it stays the same whatever else is drawn, so that a new
 * consumer of chance does not shift those that were there before.
 */
export const drawFor = (seed: number, key: string): number => hashText(key, seed) / 2 ** 32;

/** Between `low` and `high` by the draw that belongs to `key`. */
export const drawBetween = (seed: number, key: string, low: number, high: number): number =>
  low + (high - low) * drawFor(seed, key);

/** The same in whole numbers, for milliseconds. */
export const drawMs = (seed: number, key: string, low: number, high: number): number =>
  Math.round(drawBetween(seed, key, low, high));

/** A stream of its own for each name: sfc32, whose state comes from seed and name. */
export function createRandomStream(seed: number, stream: string): RandomStream {
  let a = hashText(stream, seed);
  let b = hashText(stream, seed ^ 0x9e3779b9);
  let c = hashText(stream, seed ^ 0x243f6a88);
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
