import { getOrCreate } from '../../model/memo.ts';
/**
 * A set of small numbers, 32 per word: thousands of instance types are intersected in a few steps.
 */
export type Bitset = Uint32Array;

export const createEmptyBitset = (size: number): Bitset => new Uint32Array((size + 31) >>> 5);

export function createBitset(bits: Iterable<number>, size: number): Bitset {
  const set = createEmptyBitset(size);
  for (const bit of bits) addBit(set, bit);
  return set;
}

export function createFullBitset(size: number): Bitset {
  const set = createEmptyBitset(size).fill(0xffff_ffff);
  const spare = set.length * 32 - size;
  if (set.length > 0) set[set.length - 1] = (word(set, set.length - 1) >>> spare) >>> 0;
  return set;
}

/** Reading past the end of a typed array would slow down every later read. */
const word = (set: Bitset, index: number): number => (index < set.length ? (set[index] ?? 0) : 0);

export function addBit(set: Bitset, bit: number): void {
  set[bit >>> 5] = word(set, bit >>> 5) | (1 << (bit & 31));
}

export function removeBit(set: Bitset, bit: number): void {
  set[bit >>> 5] = word(set, bit >>> 5) & ~(1 << (bit & 31));
}

export const hasBit = (set: Bitset, bit: number): boolean => (word(set, bit >>> 5) & (1 << (bit & 31))) !== 0;

export function intersection(a: Bitset, b: Bitset): Bitset {
  const both = new Uint32Array(a.length);
  for (let index = 0; index < a.length; index++) both[index] = word(a, index) & word(b, index);
  return both;
}

/** Removes from `set` the members that are not in `other`: an intersection in place. */
export function intersectInPlace(set: Bitset, other: Bitset): void {
  for (let index = 0; index < set.length; index++) set[index] = word(set, index) & word(other, index);
}

/** The members of `a` that are not in `b`. */
export function without(a: Bitset, b: Bitset): Bitset {
  const remainingBits = new Uint32Array(a.length);
  for (let index = 0; index < a.length; index++) remainingBits[index] = word(a, index) & ~word(b, index);
  return remainingBits;
}

export function union(a: Bitset, b: Bitset): Bitset {
  const either = new Uint32Array(a.length);
  for (let index = 0; index < a.length; index++) either[index] = word(a, index) | word(b, index);
  return either;
}

/** True if both sets have a common member; builds no intermediate set. */
export const overlaps = (a: Bitset, b: Bitset): boolean => a.some((bits, index) => (bits & word(b, index)) !== 0);

/** True if all members of `part` are in `whole`. */
export const isSubset = (part: Bitset, whole: Bitset): boolean =>
  part.every((bits, index) => (bits & ~word(whole, index)) === 0);

export function isEmptyBitset(set: Bitset): boolean {
  for (let index = 0; index < set.length; index++) if (word(set, index) !== 0) return false;
  return true;
}

export const isSameBitset = (a: Bitset, b: Bitset): boolean => a.every((bits, index) => bits === word(b, index));

/** Counts the members. */
export function countBits(set: Bitset): number {
  let size = 0;
  for (let index = 0; index < set.length; index++) {
    for (let remainingBits = word(set, index); remainingBits !== 0; remainingBits &= remainingBits - 1) size += 1;
  }
  return size;
}

/** Visits the members in ascending order. */
export function forEachBit(set: Bitset, visit: (bit: number) => void): void {
  for (let index = 0; index < set.length; index++) {
    let remainingBits = word(set, index);
    while (remainingBits !== 0) {
      visit(index * 32 + (31 - Math.clz32(remainingBits & -remainingBits)));
      remainingBits &= remainingBits - 1;
    }
  }
}

/**
 * The first member from `start` on; -1 if there is none. For hot loops, in which a callback would
 * allocate.
 */
export function nextBit(set: Bitset, start: number): number {
  let index = start >>> 5;
  // Shift counts wrap at 32, so members below `start` are masked in the first word only.
  let remainingBits = word(set, index) & (-1 << (start & 31));
  while (remainingBits === 0) {
    index += 1;
    if (index >= set.length) return -1;
    remainingBits = word(set, index);
  }
  return index * 32 + (31 - Math.clz32(remainingBits & -remainingBits));
}

export function listBits(set: Bitset): number[] {
  const bits: number[] = [];
  forEachBit(set, (bit) => bits.push(bit));
  return bits;
}

/** Gives equal sets equal numbers, for use in cache keys. */
export type SetNumbers = (set: Bitset) => number;

export function createSetNumbers(): SetNumbers {
  const numbered = new WeakMap<Bitset, number>();
  const byText = new Map<string, number>();
  return (set) => {
    return getOrCreate(numbered, set, () => {
      const text = set.join();
      return getOrCreate(byText, text, () => byText.size);
    });
  };
}
