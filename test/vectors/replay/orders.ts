/** Orders in which the pods of a plan reach the scheduler. */
export const REPLAY_ORDERS = ['planned', 'reversed', 'shuffled'] as const;
export type ReplayOrder = (typeof REPLAY_ORDERS)[number];

export function sortIntoOrder<T>(items: readonly T[], order: ReplayOrder): T[] {
  if (order === 'reversed') return items.toReversed();
  return order === 'shuffled' ? shuffle(items) : [...items];
}

const SEED = 20_260_601;

/** Shuffles with a fixed seed. */
function shuffle<T>(items: readonly T[]): T[] {
  const random = createRandomNumbers(SEED);
  return items
    .map((item) => ({ item, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/**
 * Creates a stream of pseudo-random numbers in [0, 1).
 *
 * @see mulberry32, by Tommy Ettinger (public domain)
 */
export function createRandomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
