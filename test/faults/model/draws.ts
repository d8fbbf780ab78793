import { createMulberry32 } from '../../../shared/model/random.ts';

/** Random choices of one seed. */
export interface Draws {
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  of<T>(values: readonly [T, ...T[]]): T;
}

export function createDraws(seed: number): Draws {
  const random = createMulberry32(Math.imul(seed, 0x9e37_79b9));
  const between = (low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
  return {
    chance: (probability) => random() < probability,
    between,
    of: (values) => values[between(0, values.length - 1)] ?? values[0],
  };
}
