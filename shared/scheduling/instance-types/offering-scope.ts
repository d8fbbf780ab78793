import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { allowsValue, type Requirement } from '../../model/requirements/requirement.ts';
import type { Requirements } from '../../model/requirements/requirements.ts';
import type { OfferingScope } from './offering-index.ts';
import { CAPACITY_TYPES } from './price-table.ts';
import type { TypeIndex } from './type-index.ts';

/** True for zone and capacity type: offerings decide these labels, not types. */
export const isOfferingKey = (key: string): boolean => key === ZONE_LABEL || key === CAPACITY_TYPE_LABEL;

/**
 * True for keys whose values a claim must carry: user-defined keys, and keys of which a type can be
 * launched with several values.
 */
export const isClaimKey = (key: string, index: TypeIndex): boolean =>
  (!index.isDecidedByType(key) || index.isLeftOpen(key)) && !isOfferingKey(key);

/** Narrows `where` to the zones and capacity types that `requirements` allow. */
export function narrowScope(requirements: Requirements, where: OfferingScope, zones: readonly string[]): OfferingScope {
  return {
    zones: toAllowedBits(requirements.get(ZONE_LABEL), zones) & where.zones,
    capacityTypes: toAllowedBits(requirements.get(CAPACITY_TYPE_LABEL), CAPACITY_TYPES) & where.capacityTypes,
  };
}

function toAllowedBits(requirement: Requirement | undefined, values: readonly string[]): number {
  let bits = 0;
  values.forEach((value, position) => {
    if (!requirement || allowsValue(requirement, value)) bits += 2 ** position;
  });
  return bits;
}

/** Narrows the scope to the zone with this index. */
export const inZone = ({ zones, capacityTypes }: OfferingScope, bit: number): OfferingScope => ({
  zones: zones & (2 ** bit),
  capacityTypes,
});

/** Narrows the scope to the capacity type with this index. */
export const ofCapacityType = ({ zones, capacityTypes }: OfferingScope, bit: number): OfferingScope => ({
  zones,
  capacityTypes: capacityTypes & (2 ** bit),
});
