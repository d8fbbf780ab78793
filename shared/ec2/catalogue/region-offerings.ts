import type { ZoneIds } from '../../model/offerings/zones.ts';
import { ownValue } from '../../model/own-value.ts';
import { assumeZoneId } from '../regions.ts';
import data from './data/regions.json' with { type: 'json' };
import { BUNDLED_REGION, EC2_TYPES, findEc2Type } from './ec2-types.ts';

/** The zones of a region and what they offer, as bundled. */
export interface RegionOfferings {
  /** Zones that offer some type, sorted. */
  readonly zones: readonly string[];
  /** An assumption, by the order of zones and ids: the zone of an id differs from account to account. */
  readonly zoneIds: ZoneIds;
  /** Zones of the region that offer the type; empty if none does. */
  zonesOf(instanceType: string): readonly string[];
}

interface BundledRegion {
  readonly zones: readonly string[];
  readonly zoneIds: readonly string[];
  /** `abc metal:ab`: the letters of the zones for all sizes, then those of sizes that differ. */
  readonly families: Readonly<Record<string, string>>;
}

const REGIONS: Readonly<Record<string, BundledRegion>> = data.regions;

/** The day of the bundled offerings of the regions besides `BUNDLED_REGION`. */
export const OFFERINGS_AS_OF = data.generatedOn;

/** Every region whose zones and offerings are bundled. */
export const BUNDLED_REGIONS: readonly string[] = [BUNDLED_REGION, ...Object.keys(REGIONS)];

/** Finds the zones and offerings of a region; undefined if none are bundled. */
export function findRegionOfferings(region: string): RegionOfferings | undefined {
  if (region === BUNDLED_REGION) return BUNDLED;
  const bundled = ownValue(REGIONS, region);
  if (!bundled) return undefined;
  const { zones, zoneIds, families } = bundled;
  return {
    zones,
    zoneIds: Object.fromEntries(
      zones.flatMap((zone, index) => {
        const id = zoneIds[index];
        return id === undefined ? [] : [[zone, id]];
      }),
    ),
    zonesOf(instanceType) {
      const letters = findLetters(ownValue(families, familyOf(instanceType)), instanceType);
      return zones.filter((zone) => letters.includes(zone.slice(-1)));
    },
  };
}

const familyOf = (instanceType: string): string => instanceType.split('.')[0] ?? '';

/** A family's cell holds for the types of the bundle only. */
function findLetters(cell: string | undefined, instanceType: string): string {
  if (cell === undefined || !findEc2Type(instanceType)) return '';
  const [usual = '', ...others] = cell.split(' ');
  const size = `${instanceType.slice(instanceType.indexOf('.') + 1)}:`;
  return others.find((one) => one.startsWith(size))?.slice(size.length) ?? usual;
}

const BUNDLED: RegionOfferings = createBundled();

function createBundled(): RegionOfferings {
  const zones = [...new Set(EC2_TYPES.flatMap((type) => type.zones))].toSorted();
  return {
    zones,
    zoneIds: Object.fromEntries(zones.map((zone) => [zone, assumeZoneId(BUNDLED_REGION, zone)])),
    zonesOf: (instanceType) => findEc2Type(instanceType)?.zones ?? [],
  };
}
