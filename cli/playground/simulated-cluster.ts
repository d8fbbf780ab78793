import { assumeStorage } from '../../shared/api/manifests/assumed-storage.ts';
import type { ClusterManifests } from '../../shared/api/manifests/cluster-manifests.ts';
import {
  listClosedLabelFaults,
  listStrangeValueWarnings,
} from '../../shared/api/runtime-validation/requirement-faults.ts';
import { listUnknownValueWarnings } from '../../shared/api/runtime-validation/unknown-values.ts';
import { dispatch } from '../../shared/controllers/dispatch.ts';
import { toLaunchCaps } from '../../shared/controllers/provisioning/launch-caps.ts';
import { deduplicateEvents } from '../../shared/controllers/support/deduplicate-events.ts';
import { toClusterCatalogue } from '../../shared/ec2/catalogue/region-catalogue.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { Workload } from '../../shared/model/pods/workload.ts';
import type { LaunchCaps } from '../../shared/model/settings.ts';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../../shared/model/settings.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import { withDefaultSpread } from '../../shared/scheduling/topology/default-spread.ts';
import { createWorld, type WorldOptions } from '../../shared/simulation/create-world.ts';
import type { SimCatalogue, SimWorld } from '../../shared/simulation/world.ts';
import { type SimulatedRegion, toSimulatedRegion } from '../catalogue/choose-region.ts';
import { BUNDLED_VALUES } from '../catalogue/known-values.ts';
import {
  listFindingWarnings,
  listMissingWarnings,
  listSkippedWarnings,
  listStorageWarnings,
} from '../manifests/cluster-manifests.ts';
import { createExtraCapacity } from './extra-capacity.ts';

/** Start of every simulation, a Monday morning. A constant, so that results can be compared. */
export const STARTS_AT: EpochMs = Date.UTC(2026, 0, 5, 8);

/**
 * A simulated cluster begins without nodes, which a real one with these workloads does not: the
 * default of `maxNodes`, which follows the fleet, would delay the first nodes.
 */
export const SIMULATED_LAUNCH_CAPS = toLaunchCaps({ maxNodes: Number.POSITIVE_INFINITY });

/**
 * Runs the controllers over a cluster in memory, for the playground and `simulate`.
 *
 * @param region - default: the region that the manifests name
 */
export function createSimulatedCluster(
  manifests: ClusterManifests,
  seed: number,
  settings: DecisionSettings = DEFAULT_SETTINGS,
  launchCaps: LaunchCaps = SIMULATED_LAUNCH_CAPS,
  options: WorldOptions = {},
  region: SimulatedRegion = toSimulatedRegion(manifests),
): SimWorld {
  const catalogue = createCatalogue(manifests, region);
  const extraCapacity = createExtraCapacity(manifests, catalogue, settings);
  const world = createWorld({
    seed,
    startAt: STARTS_AT,
    manifests: withAssumedStorage(applyDefaultSpread(manifests, settings)),
    catalogue,
    options: { ...(extraCapacity && { extraCapacity }), ...options },
  });
  const ports = {
    ...world.ports,
    settings,
    launchCaps,
    decisionLog: deduplicateEvents(world.ports.decisionLog),
  };
  world.consume((hint) => dispatch(ports, hint));
  // Exports and the page observe the cluster with the settings that the controllers decide with.
  return { ...world, ports };
}

/** Lists what a simulated cluster handles differently from a real one. */
export const listManifestWarnings = (
  manifests: ClusterManifests,
  { warnings }: Pick<SimulatedRegion, 'warnings'>,
): readonly string[] => [
  ...listSkippedWarnings(manifests),
  ...listFindingWarnings(manifests),
  ...listStorageWarnings(assumeStorage(manifests)),
  ...listMissingWarnings(manifests),
  ...warnings,
  ...listUnknownValues(manifests),
];

function withAssumedStorage(manifests: ClusterManifests): ClusterManifests {
  const { storage } = assumeStorage(manifests);
  return storage ? { ...manifests, storage } : manifests;
}

/** Nothing launches for a misspelt instance type or zone, and the reason alone does not show why. */
const listUnknownValues = ({ pools }: ClusterManifests): readonly string[] =>
  pools.flatMap(({ name, requirements }) =>
    requirements
      .flatMap((requirement) => [
        ...listUnknownValueWarnings(requirement, [], BUNDLED_VALUES),
        ...listClosedLabelFaults(requirement, []),
        ...listStrangeValueWarnings(requirement, []),
      ])
      .map(({ why, fix }) => `NodePool ${name}: ${why}; ${fix}`),
  );

function createCatalogue(manifests: ClusterManifests, { catalogue, zones }: SimulatedRegion): SimCatalogue {
  const nodeClasses = new Map(manifests.nodeClasses.map((nodeClass) => [nodeClass.name, nodeClass]));
  const nodeClassOf = ({ nodeClass }: NodePool) => nodeClasses.get(nodeClass.name);
  return toClusterCatalogue(catalogue, nodeClassOf, zones);
}

/**
 * Writes the cluster's default spread into pods and templates, because the simulated kube-scheduler
 * reads pods only.
 */
function applyDefaultSpread(manifests: ClusterManifests, settings: DecisionSettings): ClusterManifests {
  const { services = [], pods, workloads } = manifests;
  const cluster = { settings, services };
  const spread = (workload: Workload): Workload => {
    const { namespace, template, kind, name } = workload;
    const owner = { kind: kind === 'Deployment' ? 'ReplicaSet' : kind, name, uid: name };
    const [pod] = withDefaultSpread([{ ...template, namespace, owner }], cluster);
    return pod ? { ...workload, template: { ...template, spec: pod.spec } } : workload;
  };
  return {
    ...manifests,
    pods: withDefaultSpread(pods, cluster),
    workloads: workloads.map((one) => (one.kind === 'DaemonSet' ? one : spread(one))),
  };
}
