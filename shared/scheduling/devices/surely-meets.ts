import { allowsAbsence, allowsValue, type Requirement } from '../../model/requirement.ts';
import type { Requirements } from '../../model/requirements.ts';
import type { Opening } from '../packing/narrowing.ts';
import type { Problem } from '../problem.ts';
import { isEmptyBitset, without } from '../types/bitset.ts';
import { isPlace, whereAllowed } from '../types/places.ts';

/** Whether every node that may come of it meets the requirements. */
export function surelyMeets(
  requirements: Requirements,
  place: Opening,
  { index, offerings }: Problem,
): boolean {
  const { where, types, custom, template } = place;
  const allowed = whereAllowed(requirements, where, offerings.zones);
  if (allowed.zones !== where.zones || allowed.capacityTypes !== where.capacityTypes) return false;
  return [...requirements].every(([key, requirement]) => {
    if (isPlace(key)) return true;
    if (index.decides(key) && !index.leavesOpen(key)) {
      return isEmptyBitset(without(types, index.matching(new Map([[key, requirement]]))));
    }
    const given = custom.get(key) ?? template.requirements.get(key);
    return given ? isWithin(given, requirement) : allowsAbsence(requirement);
  });
}

/** Whether no node that may come of it meets the requirements, for it is elsewhere. */
export function surelyFails(
  requirements: Requirements,
  { where }: Opening,
  { offerings }: Problem,
): boolean {
  const allowed = whereAllowed(requirements, where, offerings.zones);
  return allowed.zones === 0 || allowed.capacityTypes === 0;
}

const isWithin = ({ complement, values }: Requirement, wanted: Requirement): boolean =>
  !complement && values.size > 0 && [...values].every((value) => allowsValue(wanted, value));
