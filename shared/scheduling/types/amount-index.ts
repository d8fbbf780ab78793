import { at, type Vector } from '../vectors.ts';
import { addBit, type Bitset, emptyBitset } from './bitset.ts';

/** Which types have how much of one resource. */
export interface AmountIndex {
  /** Ascending, distinct. */
  readonly amounts: readonly number[];
  /** At each position the types that have at least that amount. */
  readonly atLeast: readonly Bitset[];
}

export function amountIndex(allocatable: readonly Vector[], column: number): AmountIndex {
  const having = Map.groupBy(allocatable.keys(), (number) => amountOf(allocatable[number], column));
  const amounts = [...having.keys()].toSorted((a, b) => a - b);
  // From the largest amount down, each set has all that those before it have.
  const set = emptyBitset(allocatable.length);
  const sets = amounts.toReversed().map((amount) => {
    for (const number of having.get(amount) ?? []) addBit(set, number);
    return set.slice();
  });
  return { amounts, atLeast: sets.toReversed() };
}

const amountOf = (vector: Vector | undefined, column: number): number =>
  vector ? at(vector, column) : 0;

/** Types with at least as much as is wanted; undefined for none. */
export function havingAtLeast(
  { amounts, atLeast }: AmountIndex,
  wanted: number,
): Bitset | undefined {
  let [low, high] = [0, amounts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((amounts[middle] ?? 0) >= wanted) high = middle;
    else low = middle + 1;
  }
  return atLeast[low];
}
