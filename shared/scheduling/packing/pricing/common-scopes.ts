import type { OfferingIndex, OfferingScope } from '../../instance-types/offering-index.ts';
import { CAPACITY_TYPES } from '../../instance-types/price-table.ts';

/** Zones and capacity types that the same members may use. */
export interface CommonScope<T> {
  readonly members: readonly T[];
  readonly where: OfferingScope;
}

/**
 * Groups zones and capacity types by the members that may use them; within a group only the
 * cheapest offering matters.
 */
export function groupByScope<T>(
  candidates: readonly T[],
  scopeOf: (member: T) => OfferingScope,
  { zones }: OfferingIndex,
): CommonScope<T>[] {
  const scopes = new Map<string, CommonScope<T>>();
  zones.forEach((_, zone) => {
    CAPACITY_TYPES.forEach((__, capacityType) => {
      const here = { zones: 2 ** zone, capacityTypes: 2 ** capacityType };
      const areHere = candidates.map((one) => isWithin(here, scopeOf(one)));
      if (!areHere.includes(true)) return;
      const key = areHere.map(Number).join('');
      const members = candidates.filter((_one, position) => areHere[position]);
      const previous = scopes.get(key)?.where ?? NOWHERE;
      // Members that may use each zone and each capacity type of the group may use all
      // combinations.
      const where = {
        zones: previous.zones | here.zones,
        capacityTypes: previous.capacityTypes | here.capacityTypes,
      };
      scopes.set(key, { members, where });
    });
  });
  return [...scopes.values()];
}

const NOWHERE: OfferingScope = { zones: 0, capacityTypes: 0 };

/**
 * @param here - one zone and one capacity type
 */
const isWithin = (here: OfferingScope, { zones, capacityTypes }: OfferingScope): boolean =>
  (zones & here.zones) !== 0 && (capacityTypes & here.capacityTypes) !== 0;
