/** Orders in which pods may come to a scheduler. */
export const ORDERS = ['planned', 'reversed', 'shuffled'] as const;
export type Order = (typeof ORDERS)[number];

export function inOrder<T>(items: readonly T[], order: Order): T[] {
  if (order === 'reversed') return items.toReversed();
  return order === 'shuffled' ? shuffled(items) : [...items];
}

const SEED = 20_260_601;

/** The same for equal lengths, in every run. */
function shuffled<T>(items: readonly T[]): T[] {
  const random = randomNumbers(SEED);
  return items
    .map((item) => ({ item, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/**
 * A stream of numbers below 1 that a seed decides.
 *
 * @see mulberry32, by Tommy Ettinger (public domain)
 */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
