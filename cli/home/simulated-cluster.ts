import type { ClusterManifests } from '../../shared/api/cluster-manifests.ts';
import { bundledCatalogue } from '../../shared/catalogue/us-east-1.ts';
import { dispatch } from '../../shared/controllers/dispatch.ts';
import { quietJournal } from '../../shared/controllers/quiet-journal.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import { createWorld } from '../../shared/simulation/create-world.ts';
import type { SimWorld } from '../../shared/simulation/world.ts';

/** When every simulation begins: a Monday morning, and always the same one, so that answers are. */
export const STARTS_AT: EpochMs = Date.UTC(2026, 0, 5, 8);

/** The home of playground and `simulate`: the controllers over a cluster in memory. */
export function simulatedCluster(manifests: ClusterManifests, seed: number): SimWorld {
  const nodeClasses = new Map(
    manifests.nodeClasses.map((nodeClass) => [nodeClass.name, nodeClass]),
  );
  const world = createWorld({
    seed,
    startAt: STARTS_AT,
    manifests,
    catalogue: bundledCatalogue(({ nodeClass }) => nodeClasses.get(nodeClass.name)),
  });
  const ports = { ...world.ports, journal: quietJournal(world.ports.journal) };
  world.consume((hint) => dispatch(ports, hint));
  return world;
}
