import { getOrCreate } from '../../model/memo.ts';
import type { EC2NodeClass } from '../../model/nodes/node-class.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { BUNDLED_REGION, findEc2Type } from './ec2-types.ts';
import { listInstanceTypes } from './instance-types.ts';
import { findOnDemandUsd } from './on-demand-prices.ts';
import { modelSpotUsd } from './spot-price-model.ts';

/** The zones of a cluster without known subnets. */
const DEFAULT_ZONES: readonly string[] = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

/** The bundled data about EC2 in one region; fits `SimCatalogue`. */
export interface BundledCatalogue {
  readonly region: string;
  readonly zones: readonly string[];
  /** Empty while the pool's NodeClass does not exist. */
  instanceTypesOf(pool: NodePool): readonly InstanceType[];
  onDemandUsd(instanceType: string): number | undefined;
  spotUsd(instanceType: string, zone: string): number | undefined;
  zonesOf(instanceType: string): readonly string[];
  isSpot(instanceType: string): boolean;
}

/**
 * Creates the catalogue from the bundled data: us-east-1 on the day the data was written.
 *
 * @param nodeClassOf - returns the NodeClass that a pool refers to
 * @param zones - zones of the cluster's subnets
 */
export function createBundledCatalogue(
  nodeClassOf: (pool: NodePool) => EC2NodeClass | undefined,
  zones: readonly string[] = DEFAULT_ZONES,
): BundledCatalogue {
  return {
    region: BUNDLED_REGION,
    zones,
    instanceTypesOf(pool) {
      const nodeClass = nodeClassOf(pool);
      return nodeClass ? keepOffered(listInstanceTypes(nodeClass)) : [];
    },
    onDemandUsd: findOnDemandUsd,
    spotUsd: modelSpotUsd,
    zonesOf: (name) => findEc2Type(name)?.zones.filter((zone) => zones.includes(zone)) ?? [],
    isSpot: (name) => findEc2Type(name)?.isSpot ?? false,
  };
}

// Cached, because decisions cache by the identity of the lists.
const offeredLists = new WeakMap<readonly InstanceType[], readonly InstanceType[]>();

/** Keeps the types that some zone of the region offers. */
function keepOffered(types: readonly InstanceType[]): readonly InstanceType[] {
  return getOrCreate(offeredLists, types, () =>
    types.filter(({ name }) => (findEc2Type(name)?.zones.length ?? 0) > 0),
  );
}
