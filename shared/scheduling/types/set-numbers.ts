import type { Bitset } from './bitset.ts';

/** Gives equal sets equal numbers, so that they can be parts of a key. */
export type SetNumbers = (set: Bitset) => number;

export function setNumbers(): SetNumbers {
  const numbered = new WeakMap<Bitset, number>();
  const byText = new Map<string, number>();
  return (set) => {
    const known = numbered.get(set);
    if (known !== undefined) return known;
    const text = set.join();
    const number = byText.get(text) ?? byText.size;
    byText.set(text, number);
    numbered.set(set, number);
    return number;
  };
}
