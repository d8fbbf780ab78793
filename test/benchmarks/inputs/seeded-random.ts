import { createMulberry32 } from '../../../shared/model/random.ts';

/** Random numbers from a seed, so that an input is equal in every run. */
export interface BenchmarkRandom {
  /** Returns one of the values with equal probability. */
  oneOf<T>(values: readonly [T, ...T[]]): T;
  /** Returns an integer from 0 to `bound` - 1. */
  below(bound: number): number;
}

export function createBenchmarkRandom(seed: number): BenchmarkRandom {
  const random = createMulberry32(seed);
  const below = (bound: number): number => Math.floor(random() * bound);
  return { below, oneOf: (values) => values[below(values.length)] ?? values[0] };
}
