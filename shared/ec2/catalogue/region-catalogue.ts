import { getOrCreate } from '../../model/memo.ts';
import type { EC2NodeClass } from '../../model/nodes/node-class.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import type { ZoneIds } from '../../model/offerings/zones.ts';
import { BUNDLED_REGION, EC2_TYPES, type Ec2Type } from './ec2-types.ts';
import { listInstanceTypes } from './instance-types.ts';
import { findOnDemandUsd, PRICES_AS_OF } from './on-demand-prices.ts';
import { withRegionLabel } from './region-label.ts';
import { findRegionOfferings } from './region-offerings.ts';
import { modelSpotUsd } from './spot-price-model.ts';
import { weighType } from './type-weight.ts';

/** The known types, zones and prices of one region. */
export interface RegionCatalogue {
  readonly region: string;
  /** `ec2`: as EC2 has answered, now or when a file was written. */
  readonly source: 'bundled' | 'ec2';
  readonly zones: readonly string[];
  readonly zoneIds: ZoneIds;
  /** All known types, including those that no zone of the region offers. */
  readonly types: readonly Ec2Type[];
  /** Types that are newer than this release. */
  readonly newer: readonly Ec2Type[];
  zonesOf(instanceType: string): readonly string[];
  /** Undefined if the region is not priced: weights then stand in for all prices. */
  readonly prices?: RegionPrices;
  /**
   * The spot price; undefined if the zone does not sell the type as spot. Without this method, no spot price
   * is known.
   */
  spotUsd?(instanceType: string, zone: string): number | undefined;
}

export interface RegionPrices {
  /** The day of the on-demand price list. */
  readonly asOf: string;
  readonly currency: string;
  /** Undefined if the type is not sold on demand. */
  onDemandUsd(instanceType: string): number | undefined;
}

const NO_TYPES: readonly Ec2Type[] = [];

// Cached, because decisions cache by the identity of the lists.
const bundled = new Map<string, RegionCatalogue | undefined>();

/** Finds the bundled catalogue of a region; undefined if no zones and types of it are bundled. */
export const findBundledCatalogue = (region: string): RegionCatalogue | undefined =>
  getOrCreate(bundled, region, () => createCatalogue(region));

function createCatalogue(region: string): RegionCatalogue | undefined {
  const offerings = findRegionOfferings(region);
  if (!offerings) return undefined;
  return {
    ...{ region, source: 'bundled', ...offerings, types: EC2_TYPES, newer: NO_TYPES },
    ...(region === BUNDLED_REGION && {
      prices: {
        asOf: PRICES_AS_OF,
        currency: 'USD',
        onDemandUsd: findOnDemandUsd,
      },
      spotUsd: modelSpotUsd,
    }),
  };
}

/** The catalogue of one cluster in a region; fits `SimCatalogue`. */
export interface ClusterCatalogue {
  readonly region: string;
  /** Zones of the cluster's subnets. */
  readonly zones: readonly string[];
  readonly zoneIds: ZoneIds;
  /** The prices are weights. */
  readonly unpriced?: true;
  /** Empty while the pool's NodeClass does not exist. */
  instanceTypesOf(pool: NodePool): readonly InstanceType[];
  onDemandUsd(instanceType: string): number | undefined;
  spotUsd(instanceType: string, zone: string): number | undefined;
  zonesOf(instanceType: string): readonly string[];
  isSpot(instanceType: string): boolean;
}

/**
 * @param nodeClassOf - returns the NodeClass that a pool refers to
 * @param zones - zones of the cluster's subnets
 */
export function toClusterCatalogue(
  catalogue: RegionCatalogue,
  nodeClassOf: (pool: NodePool) => EC2NodeClass | undefined,
  zones: readonly string[],
): ClusterCatalogue {
  const { region, zoneIds, newer, prices } = catalogue;
  const byName = new Map(catalogue.types.map((type) => [type.name, type]));
  const isSpot = (name: string): boolean => byName.get(name)?.isSpot ?? false;
  const weigh = (name: string): number | undefined => {
    const type = byName.get(name);
    return type && weighType(type);
  };
  const zonesOf = (name: string): readonly string[] => catalogue.zonesOf(name).filter((zone) => zones.includes(zone));
  return {
    ...{ region, zones, zonesOf, isSpot },
    zoneIds: Object.fromEntries(Object.entries(zoneIds).filter(([zone]) => zones.includes(zone))),
    instanceTypesOf(pool) {
      const nodeClass = nodeClassOf(pool);
      return nodeClass ? withRegionLabel(keepOffered(listInstanceTypes(nodeClass, newer), catalogue), region) : [];
    },
    ...(prices
      ? {
          onDemandUsd: prices.onDemandUsd,
          spotUsd: (name, zone) => catalogue.spotUsd?.(name, zone),
        }
      : {
          unpriced: true,
          onDemandUsd: weigh,
          spotUsd: (name) => (isSpot(name) ? weigh(name) : undefined),
        }),
  };
}

// Cached, because decisions cache by the identity of the lists.
const offeredLists = new WeakMap<RegionCatalogue, Map<readonly InstanceType[], readonly InstanceType[]>>();

/** Keeps the types that some zone of the region offers. */
function keepOffered(types: readonly InstanceType[], catalogue: RegionCatalogue): readonly InstanceType[] {
  const lists = getOrCreate(offeredLists, catalogue, () => new Map());
  return getOrCreate(lists, types, () => types.filter(({ name }) => catalogue.zonesOf(name).length > 0));
}
