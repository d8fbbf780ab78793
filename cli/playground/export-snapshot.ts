import type { ExportedFile } from '../../console/source.ts';
import { decideDisruption } from '../../shared/controllers/disruption/decide-disruption.ts';
import { observeCluster } from '../../shared/controllers/observe-cluster.ts';
import { decideProvisioning, UNLIMITED_INPUT } from '../../shared/controllers/provisioning/decide-provisioning.ts';
import { createDecisionId } from '../../shared/controllers/support/decision-id.ts';
import type { DisruptionInput } from '../../shared/ports/decision-log.ts';
import type { SimWorld } from '../../shared/simulation/world.ts';
import { nameSnapshot, packSnapshot } from '../record/pack-snapshot.ts';

/** The simulated cluster as a snapshot file, with the decisions that would be made now. */
export async function exportSnapshot({ ports }: SimWorld, cluster: string): Promise<ExportedFile> {
  const [snapshot, commands] = await Promise.all([observeCluster(ports), ports.commands.list()]);
  const at = snapshot.takenAt;
  const pods = { ...UNLIMITED_INPUT, snapshot };
  const nodes: DisruptionInput = { kind: 'disruption', snapshot, running: commands.records };
  const ids = {
    pods: createDecisionId('p', at, [cluster]),
    nodes: createDecisionId('d', at, [cluster]),
  };
  const bytes = await packSnapshot(
    [
      {
        id: ids.pods,
        at,
        kind: 'provisioning',
        input: pods,
        plan: decideProvisioning(pods, ids.pods),
      },
      {
        id: ids.nodes,
        at,
        kind: 'disruption',
        input: nodes,
        plan: decideDisruption(nodes, ids.nodes),
      },
    ],
    cluster,
    at,
  );
  return { name: nameSnapshot(cluster, at), bytes };
}
