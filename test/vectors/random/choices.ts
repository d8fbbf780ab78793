import { createNamedStream } from '../../../shared/model/random.ts';

/** Random choices from a seed and a name: equal seeds and names give equal choices. */
export interface Choices {
  /** True with this probability. */
  chance(probability: number): boolean;
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  pick<T>(values: readonly T[]): T;
}

export function createChoices(seed: number, name: string): Choices {
  const random = createNamedStream(seed, name);
  const int = (min: number, max: number): number => min + Math.floor(random() * (max - min + 1));
  return {
    chance: (probability) => random() < probability,
    int,
    pick(values) {
      const value = values[int(0, values.length - 1)];
      if (value === undefined) throw new Error('There is nothing to choose from.');
      return value;
    },
  };
}
