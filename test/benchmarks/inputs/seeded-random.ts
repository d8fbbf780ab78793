import { createMulberry32 } from '../../../shared/model/random.ts';

/** Draws that a seed decides, so that an input is the same in every run. */
export interface BenchmarkRandom {
  /** @returns one of the values, each with the same chance */
  oneOf<T>(values: readonly [T, ...T[]]): T;
  /** @returns a whole number from 0 to below the bound */
  below(bound: number): number;
}

export function createBenchmarkRandom(seed: number): BenchmarkRandom {
  const random = createMulberry32(seed);
  const below = (bound: number): number => Math.floor(random() * bound);
  return { below, oneOf: (values) => values[below(values.length)] ?? values[0] };
}
