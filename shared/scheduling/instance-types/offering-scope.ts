import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { allowsValue, type Requirement } from '../../model/requirements/requirement.ts';
import type { Requirements } from '../../model/requirements/requirements.ts';
import type { OfferingScope } from './offering-index.ts';
import { CAPACITY_TYPES } from './price-table.ts';
import type { TypeIndex } from './type-index.ts';

/** Keys that say where a node is, or how it is paid for: offerings decide them, not types. */
export const isOfferingKey = (key: string): boolean =>
  key === ZONE_LABEL || key === CAPACITY_TYPE_LABEL;

/**
 * Keys whose values a claim has to carry: of the user's own, or left open by types that can be
 * launched either way.
 */
export const isClaimKey = (key: string, index: TypeIndex): boolean =>
  (!index.isDecidedByType(key) || index.isLeftOpen(key)) && !isOfferingKey(key);

/** Narrows `where` to the zones and capacity types that `requirements` allow. */
export function narrowScope(
  requirements: Requirements,
  where: OfferingScope,
  zones: readonly string[],
): OfferingScope {
  return {
    zones: toAllowedBits(requirements.get(ZONE_LABEL), zones) & where.zones,
    capacityTypes:
      toAllowedBits(requirements.get(CAPACITY_TYPE_LABEL), CAPACITY_TYPES) & where.capacityTypes,
  };
}

function toAllowedBits(requirement: Requirement | undefined, values: readonly string[]): number {
  let bits = 0;
  values.forEach((value, position) => {
    if (!requirement || allowsValue(requirement, value)) bits += 2 ** position;
  });
  return bits;
}

/** One zone of it, by its position. */
export const inZone = ({ zones, capacityTypes }: OfferingScope, bit: number): OfferingScope => ({
  zones: zones & (2 ** bit),
  capacityTypes,
});

/** One capacity type of it, by its position. */
export const ofCapacityType = (
  { zones, capacityTypes }: OfferingScope,
  bit: number,
): OfferingScope => ({
  zones,
  capacityTypes: capacityTypes & (2 ** bit),
});
