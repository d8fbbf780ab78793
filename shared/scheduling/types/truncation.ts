import type { Draft } from '../packing/drafts.ts';
import type { Problem } from '../problem.ts';
import { bitsetOf } from './bitset.ts';
import { unmetMinValues } from './min-values.ts';

/** The most instance types that a NodeClaim lists. @see Karpenter, MaxInstanceTypes */
const MAX_TYPES = 600;

/**
 * The types that a claim lists, cheapest first. Where there are too many, dear ones stay that have
 * values which `minValues` needs and no cheaper type has: Karpenter gives such claims up.
 *
 * @param ranked - numbers of types, cheapest first
 */
export function listedTypes(
  draft: Draft,
  ranked: readonly number[],
  problem: Problem,
  most: number = MAX_TYPES,
): readonly number[] {
  const cheapest = ranked.slice(0, most);
  if (cheapest.length === ranked.length || holds(draft, cheapest, problem)) return cheapest;

  const kept = new Set<number>();
  for (const { key, count } of draft.minValues) {
    for (const type of firstOfEachValue(ranked, key, problem).slice(0, count)) kept.add(type);
  }
  for (const type of ranked) if (kept.size < most) kept.add(type);
  return ranked.filter((type) => kept.has(type));
}

const holds = ({ template, minValues }: Draft, types: readonly number[], problem: Problem) =>
  !unmetMinValues(template, bitsetOf(types, problem.index.types.length), problem, minValues);

/** The cheapest type of each value of the key. */
function firstOfEachValue(ranked: readonly number[], key: string, { index }: Problem): number[] {
  const first = new Map<string, number>();
  for (const type of ranked) {
    const value = index.types[type]?.labels[key];
    if (value !== undefined && !first.has(value)) first.set(value, type);
  }
  return [...first.values()];
}
