import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import type { Problem } from '../input/problem.ts';
import { type Bitset, forEachBit } from '../data-structures/bitset.ts';
import type { Where } from './offering-index.ts';
import { atZone, ofCapacityType } from './offering-scope.ts';
import { CAPACITY_TYPES } from './price-table.ts';
import type { MinValues, Template } from './node-claim-templates.ts';

/**
 * What a new node of `types` is held to: the pool's minValues, or, with best effort, as much of them
 * as there is. Undefined: not enough, and that matters.
 */
export function minValuesOf(
  template: Template,
  types: Bitset,
  problem: Problem,
): readonly MinValues[] | undefined {
  if (template.minValues.length === 0) return NONE;
  if (problem.snapshot.settings?.minValuesPolicy !== 'BestEffort') {
    return unmetMinValues(template, types, problem) ? undefined : template.minValues;
  }
  return template.minValues.map(({ key, count }) => ({
    key,
    count: Math.min(count, distinctValues(template, types, key, problem)),
  }));
}

const NONE: readonly MinValues[] = [];

/** The first key of which the types no longer offer as many values as `wanted` asks. */
export function unmetMinValues(
  template: Template,
  types: Bitset,
  problem: Problem,
  wanted: readonly MinValues[] = template.minValues,
): (MinValues & { readonly found: number }) | undefined {
  for (const { key, count } of wanted) {
    const found = distinctValues(template, types, key, problem);
    if (found < count) return { key, count, found };
  }
  return undefined;
}

/** @see Karpenter: zones count where the types are offered, wherever the claim itself may go */
function distinctValues(
  { where }: Template,
  types: Bitset,
  key: string,
  { index, offerings }: Problem,
): number {
  const isOffered = (at: Where) => offerings.count(types, at, true) > 0;
  if (key === ZONE_LABEL) {
    return offerings.zones.filter((_, bit) => isOffered(atZone(where, bit))).length;
  }
  if (key === CAPACITY_TYPE_LABEL) {
    return CAPACITY_TYPES.filter((_, bit) => isOffered(ofCapacityType(where, bit))).length;
  }
  // Keys of the template alone have one value, or as many as one likes.
  if (!index.decides(key)) return Infinity;
  const values = new Set<string>();
  forEachBit(types, (number) => {
    const value = index.types[number]?.labels[key];
    if (value !== undefined) values.add(value);
  });
  return values.size;
}
