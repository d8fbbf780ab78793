import { createMulberry32 } from '../../../shared/model/random.ts';

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
  const random = createMulberry32(SEED);
  return items
    .map((item) => ({ item, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
