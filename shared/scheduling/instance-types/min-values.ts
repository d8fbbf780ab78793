import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { ownValue } from '../../model/own-value.ts';
import { type Bitset, forEachBit } from '../data-structures/bitset.ts';
import type { MinValues, NodeClaimTemplate, TemplateInputs } from './node-claim-templates.ts';
import type { OfferingScope } from './offering-index.ts';
import { inZone, ofCapacityType } from './offering-scope.ts';
import { CAPACITY_TYPES } from './price-table.ts';

/**
 * Computes the minValues of a new node with these types: those of the NodePool or, under the
 * BestEffort policy, as much of them as the types offer. undefined if the types do not meet them
 * and must.
 */
export function resolveMinValues(
  template: NodeClaimTemplate,
  types: Bitset,
  inputs: TemplateInputs,
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

export interface UnmetMinValues extends MinValues {
  /** The number of values that the types have. */
  readonly values: number;
}

/** Finds the first key of which the types offer fewer values than required. */
export function findUnmetMinValues(
  template: NodeClaimTemplate,
  types: Bitset,
  inputs: TemplateInputs,
  required: readonly MinValues[] = template.minValues,
): UnmetMinValues | undefined {
  for (const { key, count } of required) {
    const values = countDistinctValues(template, types, key, inputs);
    if (values < count) return { key, count, values };
  }
  return undefined;
}

/**
 * @see Karpenter: zones count if the types are offered there, even if the claim itself is
 *   restricted to other zones
 */
function countDistinctValues(
  { where }: NodeClaimTemplate,
  types: Bitset,
  key: string,
  { typeIndex, offerings }: TemplateInputs,
): number {
  const isOffered = (at: OfferingScope) => offerings.count(types, at, true) > 0;
  if (key === ZONE_LABEL) {
    return offerings.zones.filter((_, bit) => isOffered(inZone(where, bit))).length;
  }
  if (key === CAPACITY_TYPE_LABEL) {
    return CAPACITY_TYPES.filter((_, bit) => isOffered(ofCapacityType(where, bit))).length;
  }
  // Keys that the template decides are not limited by types.
  if (!typeIndex.isDecidedByType(key)) return Infinity;
  const values = new Set<string>();
  forEachBit(types, (number) => {
    const value = ownValue(typeIndex.types[number]?.labels, key);
    if (value !== undefined) values.add(value);
  });
  return values.size;
}
