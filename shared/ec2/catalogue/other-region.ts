import { REGION_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import type { BundledCatalogue } from './bundled-catalogue.ts';
import { BUNDLED_REGION } from './ec2-types.ts';

/**
 * Relabels the bundled catalogue for another region: each zone has the offerings and prices of the
 * zone with the same letter. Good for trying things out, not for a bill.
 *
 * @param zones - zones of the other region, such as `us-west-2a`
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

// Cached, because decisions cache by the identity of the lists.
const listsByTypes = new WeakMap<readonly InstanceType[], Map<string, readonly InstanceType[]>>();

/** Sets the region label of the types. */
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
