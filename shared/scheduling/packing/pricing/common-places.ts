import type { OfferingIndex, OfferingScope } from '../../instance-types/offering-index.ts';
import { CAPACITY_TYPES } from '../../instance-types/price-table.ts';

/** Zones and capacity types in which the same members can be. */
export interface CommonPlace<T> {
  readonly members: readonly T[];
  readonly where: OfferingScope;
}

/** Where the same members can be is one place: its cheapest offering counts. */
export function commonPlaces<T>(
  all: readonly T[],
  whereOf: (member: T) => OfferingScope,
  { zones }: OfferingIndex,
): CommonPlace<T>[] {
  const places = new Map<string, CommonPlace<T>>();
  zones.forEach((_, zone) => {
    CAPACITY_TYPES.forEach((__, capacityType) => {
      const here = { zones: 2 ** zone, capacityTypes: 2 ** capacityType };
      const areHere = all.map((one) => isWithin(here, whereOf(one)));
      if (!areHere.includes(true)) return;
      const key = areHere.map(Number).join('');
      const members = all.filter((_one, position) => areHere[position]);
      const known = places.get(key)?.where ?? NOWHERE;
      // The product of both is at most as strict: whoever may run in each may run in all of it.
      const where = {
        zones: known.zones | here.zones,
        capacityTypes: known.capacityTypes | here.capacityTypes,
      };
      places.set(key, { members, where });
    });
  });
  return [...places.values()];
}

const NOWHERE: OfferingScope = { zones: 0, capacityTypes: 0 };

/** @param here - one zone and one capacity type */
const isWithin = (here: OfferingScope, { zones, capacityTypes }: OfferingScope): boolean =>
  (zones & here.zones) !== 0 && (capacityTypes & here.capacityTypes) !== 0;
