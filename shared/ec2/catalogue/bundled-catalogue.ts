import type { EC2NodeClass } from '../../model/nodes/node-class.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { BUNDLED_REGION } from './ec2-types.ts';
import { type ClusterCatalogue, findBundledCatalogue, toClusterCatalogue } from './region-catalogue.ts';

/** The zones of a cluster without known subnets. */
const DEFAULT_ZONES: readonly string[] = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

/**
 * Creates the catalogue of a cluster in us-east-1 from the bundled data.
 *
 * @param nodeClassOf - returns the NodeClass that a pool refers to
 * @param zones - zones of the cluster's subnets
 */
export function createBundledCatalogue(
  nodeClassOf: (pool: NodePool) => EC2NodeClass | undefined,
  zones: readonly string[] = DEFAULT_ZONES,
): ClusterCatalogue {
  const catalogue = findBundledCatalogue(BUNDLED_REGION);
  if (!catalogue) throw new Error(`${BUNDLED_REGION} is not bundled`);
  return toClusterCatalogue(catalogue, nodeClassOf, zones);
}
