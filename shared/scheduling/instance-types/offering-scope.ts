import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../model/labels.ts';
import { allowsValue, type Requirement } from '../../model/requirement.ts';
import type { Requirements } from '../../model/requirements.ts';
import type { Where } from './offering-index.ts';
import { CAPACITY_TYPES } from './price-table.ts';
import type { TypeIndex } from './type-index.ts';

/** Keys that say where a node is, or how it is paid for: offerings decide them, not types. */
export const isPlace = (key: string): boolean => key === ZONE_LABEL || key === CAPACITY_TYPE_LABEL;

/**
 * Keys whose values a claim has to carry: of the user's own, or left open by types that can be
 * launched either way.
 */
export const isCarried = (key: string, index: TypeIndex): boolean =>
  (!index.decides(key) || index.leavesOpen(key)) && !isPlace(key);

/** Narrows `where` to the zones and capacity types that `requirements` allow. */
export function whereAllowed(
  requirements: Requirements,
  where: Where,
  zones: readonly string[],
): Where {
  return {
    zones: allowedBits(requirements.get(ZONE_LABEL), zones) & where.zones,
    capacityTypes:
      allowedBits(requirements.get(CAPACITY_TYPE_LABEL), CAPACITY_TYPES) & where.capacityTypes,
  };
}

function allowedBits(requirement: Requirement | undefined, values: readonly string[]): number {
  let bits = 0;
  values.forEach((value, position) => {
    if (!requirement || allowsValue(requirement, value)) bits += 2 ** position;
  });
  return bits;
}

/** One zone of it, by its position. */
export const atZone = ({ zones, capacityTypes }: Where, bit: number): Where => ({
  zones: zones & (2 ** bit),
  capacityTypes,
});

/** One capacity type of it, by its position. */
export const ofCapacityType = ({ zones, capacityTypes }: Where, bit: number): Where => ({
  zones,
  capacityTypes: capacityTypes & (2 ** bit),
});
