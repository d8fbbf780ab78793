import { getOrCreate } from '../../model/memo.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { InstanceType, Offering } from '../../model/offerings/instance-type.ts';
import type { Catalogue } from '../../ports/cloud.ts';
import type { SimCatalogue } from '../world.ts';
import type { SimSpotPrices } from './spot-prices.ts';

/**
 * Current offerings. Returns the same objects until a price moves, because decisions cache by
 * identity.
 */
export interface SimPriceList {
  catalogue(pools: readonly NodePool[]): Catalogue;
  /** All offerings of a type. */
  offeringsOf(instanceType: string): readonly Offering[];
  clearCache(): void;
}

export function createSimPriceList(facts: SimCatalogue, spotPrices: SimSpotPrices): SimPriceList {
  const onDemand = new Map<string, readonly Offering[]>();
  let byType = new Map<string, readonly Offering[]>();
  let latest: { readonly pools: readonly NodePool[]; readonly catalogue: Catalogue } | undefined;

  function findOnDemand(instanceType: string): readonly Offering[] {
    return getOrCreate(onDemand, instanceType, () => buildOnDemandOfferings(facts, instanceType));
  }

  function offeringsOf(instanceType: string): readonly Offering[] {
    return getOrCreate(byType, instanceType, () => [
      ...findOnDemand(instanceType),
      ...buildSpotOfferings(facts, spotPrices, instanceType),
    ]);
  }

  return {
    offeringsOf,
    catalogue(pools) {
      if (latest && isSamePools(latest.pools, pools)) return latest.catalogue;
      const instanceTypes = Object.fromEntries(pools.map((pool) => [pool.name, facts.instanceTypesOf(pool)]));
      const offerings = listTypeNames(Object.values(instanceTypes)).flatMap(offeringsOf);
      const zones = facts.zonesByPool && { zones: facts.zonesByPool };
      const zoneIds = facts.zoneIds && { zoneIds: facts.zoneIds };
      const unpriced = facts.unpriced && { unpriced: facts.unpriced };
      latest = {
        pools,
        catalogue: { instanceTypes, offerings, ...zones, ...zoneIds, ...unpriced },
      };
      return latest.catalogue;
    },
    clearCache() {
      byType = new Map();
      latest = undefined;
    },
  };
}

const isSamePools = (a: readonly NodePool[], b: readonly NodePool[]): boolean =>
  a === b || (a.length === b.length && a.every((pool, index) => pool === b[index]));

const listTypeNames = (lists: readonly (readonly InstanceType[])[]): string[] => [
  ...new Set([...new Set(lists)].flatMap((types) => types.map(({ name }) => name))),
];

function buildOnDemandOfferings(facts: SimCatalogue, instanceType: string): Offering[] {
  const hourlyUsd = facts.onDemandUsd(instanceType);
  if (hourlyUsd === undefined) return [];
  return facts.zonesOf(instanceType).map((zone) => ({ instanceType, zone, capacityType: 'on-demand', hourlyUsd }));
}

function buildSpotOfferings(facts: SimCatalogue, spotPrices: SimSpotPrices, instanceType: string): Offering[] {
  if (!facts.isSpot(instanceType)) return [];
  return facts.zonesOf(instanceType).flatMap((zone): Offering[] => {
    const hourlyUsd = spotPrices.price(instanceType, zone);
    return hourlyUsd === undefined ? [] : [{ instanceType, zone, capacityType: 'spot', hourlyUsd }];
  });
}
