import { REGION_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import type { BundledCatalogue } from './bundled-catalogue.ts';
import { BUNDLED_REGION } from './ec2-types.ts';

/**
 * The catalogue under the names of another region: what each zone sells, and for how much, is what
 * the zone of the same letter sells in the bundled one. Good for trying things out, not for a bill.
 *
 * @param zones - of the other region, `us-west-2a` and so on
 */
export function toOtherRegion(
  bundled: BundledCatalogue,
  region: string,
  zones: readonly string[],
): BundledCatalogue {
  const counterpart = (zone: string): string => `${bundled.region}${zone.slice(region.length)}`;
  return {
    ...bundled,
    region,
    zones,
    instanceTypesOf: (pool) => withRegionLabel(bundled.instanceTypesOf(pool), region),
    spotUsd: (name, zone) => bundled.spotUsd(name, counterpart(zone)),
    zonesOf(name) {
      const sold = new Set(bundled.zonesOf(name));
      return zones.filter((zone) => sold.has(counterpart(zone)));
    },
  };
}

// Lists stay the same objects, for decisions remember what they worked out of them.
const listsByTypes = new WeakMap<readonly InstanceType[], Map<string, readonly InstanceType[]>>();

/** The same types as nodes of another region would be labelled. */
export function withRegionLabel(
  types: readonly InstanceType[],
  region: string,
): readonly InstanceType[] {
  if (region === BUNDLED_REGION) return types;
  const byRegion = getOrCreate(listsByTypes, types, () => new Map());
  return getOrCreate(byRegion, region, () =>
    types.map((type) => ({ ...type, labels: { ...type.labels, [REGION_LABEL]: region } })),
  );
}
