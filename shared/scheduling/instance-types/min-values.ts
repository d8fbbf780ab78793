import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { type Bitset, forEachBit } from '../data-structures/bitset.ts';
import type { MinValues, NodeClaimTemplate, PoolInputs } from './node-claim-templates.ts';
import type { OfferingScope } from './offering-index.ts';
import { inZone, ofCapacityType } from './offering-scope.ts';
import { CAPACITY_TYPES } from './price-table.ts';

/**
 * What a new node of `types` is held to: the pool's minValues, or, with best effort, as much of them
 * as there is. Undefined: not enough, and that matters.
 */
export function resolveMinValues(
  template: NodeClaimTemplate,
  types: Bitset,
  inputs: PoolInputs,
): readonly MinValues[] | undefined {
  if (template.minValues.length === 0) return NO_MIN_VALUES;
  if (inputs.snapshot.settings?.minValuesPolicy !== 'BestEffort') {
    return findUnmetMinValues(template, types, inputs) ? undefined : template.minValues;
  }
  return template.minValues.map(({ key, count }) => ({
    key,
    count: Math.min(count, countDistinctValues(template, types, key, inputs)),
  }));
}

const NO_MIN_VALUES: readonly MinValues[] = [];

/** The first key of which the types no longer offer as many values as `wanted` asks. */
export function findUnmetMinValues(
  template: NodeClaimTemplate,
  types: Bitset,
  inputs: PoolInputs,
  required: readonly MinValues[] = template.minValues,
): (MinValues & { readonly found: number }) | undefined {
  for (const { key, count } of required) {
    const found = countDistinctValues(template, types, key, inputs);
    if (found < count) return { key, count, found };
  }
  return undefined;
}

/** @see Karpenter: zones count where the types are offered, wherever the claim itself may go */
function countDistinctValues(
  { where }: NodeClaimTemplate,
  types: Bitset,
  key: string,
  { index, offerings }: PoolInputs,
): number {
  const isOffered = (at: OfferingScope) => offerings.count(types, at, true) > 0;
  if (key === ZONE_LABEL) {
    return offerings.zones.filter((_, bit) => isOffered(inZone(where, bit))).length;
  }
  if (key === CAPACITY_TYPE_LABEL) {
    return CAPACITY_TYPES.filter((_, bit) => isOffered(ofCapacityType(where, bit))).length;
  }
  // Keys of the template alone have one value, or as many as one likes.
  if (!index.isDecidedByType(key)) return Infinity;
  const values = new Set<string>();
  forEachBit(types, (number) => {
    const value = index.types[number]?.labels[key];
    if (value !== undefined) values.add(value);
  });
  return values.size;
}
