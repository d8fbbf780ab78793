import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { listPodsToRestart } from '../../model/pods/restarts.ts';
import type { Ports } from '../../ports/ports.ts';

/** Each Deployment takes up to three requests. The nodes of the others stay. */
const MAX_OWNERS = 50;

/**
 * Adds to the snapshot what a drain could restart: nodes whose pods are blocked can be disrupted
 * only if their Deployments can start the replacements elsewhere first.
 */
export async function withRestarts(
  { cluster }: Pick<Ports, 'cluster'>,
  snapshot: ClusterSnapshot,
): Promise<ClusterSnapshot> {
  const { pods, podDisruptionBudgets, takenAt } = snapshot;
  const blocked = listPodsToRestart(pods, podDisruptionBudgets, takenAt).slice(0, MAX_OWNERS);
  if (blocked.length === 0) return snapshot;
  return { ...snapshot, restarts: await cluster.findRestarts(blocked) };
}
