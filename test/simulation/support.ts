import type { ClusterManifests } from '../../shared/api/manifests/cluster-manifests.ts';
import type { InstanceType } from '../../shared/model/offerings/instance-type.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import { createOpenWorld, type OpenWorld, type WorldOptions } from '../../shared/simulation/create-world.ts';
import type { SimCatalogue, SimWorld } from '../../shared/simulation/world.ts';
import { aNodePool, aTypeOf, NOON, REGION, ZONES } from '../support/builders.ts';
import { launchForPods } from './launch-for-pods.ts';

const TYPES: readonly InstanceType[] = [
  aTypeOf('m7i.large', 2, 8),
  aTypeOf('m7i.2xlarge', 8, 32),
  aTypeOf('m7i.8xlarge', 32, 128),
];

/** Three sizes of one family, $0.05 per hour and CPU, in three zones. */
export const aCatalogue = (over: Partial<SimCatalogue> = {}): SimCatalogue => ({
  region: REGION,
  zones: ZONES,
  instanceTypesOf: () => TYPES,
  onDemandUsd: (name) => {
    const type = TYPES.find((candidate) => candidate.name === name);
    return type && ((type.capacity.cpu ?? 0) / 1000) * 0.05;
  },
  zonesOf: () => ZONES,
  isSpot: () => true,
  ...over,
});

const manifests = (over: Partial<ClusterManifests> = {}): ClusterManifests => ({
  pools: [aNodePool()],
  nodeClasses: [],
  workloads: [],
  pods: [],
  podDisruptionBudgets: [],
  skipped: [],
  ...over,
});

/** Disables random interruptions and shortages. */
export const NO_RANDOM_EVENTS: WorldOptions = { interruptionsPerHour: 0, shortageShare: 0 };

export const anOpenWorld = (
  over: Partial<ClusterManifests> = {},
  {
    seed = 1,
    options = NO_RANDOM_EVENTS,
    catalogue = aCatalogue(),
  }: { seed?: number; options?: WorldOptions; catalogue?: SimCatalogue } = {},
): OpenWorld => createOpenWorld({ seed, startAt: NOON, catalogue, manifests: manifests(over), options });

export const aWorld = (...of: Parameters<typeof anOpenWorld>): SimWorld => anOpenWorld(...of).world;

/** A world with a minimal node controller that launches enough nodes and removes none. */
export const aServedWorld = (...args: Parameters<typeof aWorld>): SimWorld => {
  const world = aWorld(...args);
  world.consume(launchForPods(world.ports));
  return world;
};

export const podsIn = async ({ ports }: SimWorld): Promise<readonly Pod[]> => (await ports.cluster.observe()).pods;

export const runFor = (world: SimWorld, ms: number): Promise<void> => world.clock.runUntil(world.clock.now() + ms);
