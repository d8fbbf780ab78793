import type { InstanceType, Offering } from '../model/instance-type.ts';
import type { NodePool } from '../model/node-pool.ts';
import type { Catalogue } from '../ports/cloud.ts';
import type { SpotMarket } from './spot-market.ts';
import type { SimCatalogue } from './world.ts';

/** What EC2 sells now. The same objects until a price moves: decisions cache by identity. */
export interface PriceList {
  catalogue(pools: readonly NodePool[]): Catalogue;
  /** Every offering of a type. */
  offeringsOf(instanceType: string): readonly Offering[];
  pricesMoved(): void;
}

export function createPriceList(facts: SimCatalogue, market: SpotMarket): PriceList {
  const onDemand = new Map<string, readonly Offering[]>();
  let byType = new Map<string, readonly Offering[]>();
  let latest: { readonly pools: readonly NodePool[]; readonly catalogue: Catalogue } | undefined;

  function onDemandOf(instanceType: string): readonly Offering[] {
    const known = onDemand.get(instanceType) ?? onDemandOfferings(facts, instanceType);
    onDemand.set(instanceType, known);
    return known;
  }

  function offeringsOf(instanceType: string): readonly Offering[] {
    const known = byType.get(instanceType);
    if (known) return known;
    const all = [...onDemandOf(instanceType), ...spotOfferings(facts, market, instanceType)];
    byType.set(instanceType, all);
    return all;
  }

  return {
    offeringsOf,
    catalogue(pools) {
      if (latest && isSameList(latest.pools, pools)) return latest.catalogue;
      const instanceTypes = Object.fromEntries(
        pools.map((pool) => [pool.name, facts.instanceTypesOf(pool)]),
      );
      const offerings = namesOf(Object.values(instanceTypes)).flatMap(offeringsOf);
      latest = { pools, catalogue: { instanceTypes, offerings } };
      return latest.catalogue;
    },
    pricesMoved() {
      byType = new Map();
      latest = undefined;
    },
  };
}

const isSameList = (a: readonly NodePool[], b: readonly NodePool[]): boolean =>
  a === b || (a.length === b.length && a.every((pool, index) => pool === b[index]));

const namesOf = (lists: readonly (readonly InstanceType[])[]): string[] => [
  ...new Set([...new Set(lists)].flatMap((types) => types.map(({ name }) => name))),
];

function onDemandOfferings(facts: SimCatalogue, instanceType: string): Offering[] {
  const hourlyUsd = facts.onDemandUsd(instanceType);
  if (hourlyUsd === undefined) return [];
  return facts
    .zonesOf(instanceType)
    .map((zone) => ({ instanceType, zone, capacityType: 'on-demand', hourlyUsd }));
}

function spotOfferings(facts: SimCatalogue, market: SpotMarket, instanceType: string): Offering[] {
  if (!facts.isSpot(instanceType)) return [];
  return facts.zonesOf(instanceType).flatMap((zone): Offering[] => {
    const hourlyUsd = market.price(instanceType, zone);
    return hourlyUsd === undefined ? [] : [{ instanceType, zone, capacityType: 'spot', hourlyUsd }];
  });
}
