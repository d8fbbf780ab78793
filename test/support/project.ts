import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { Cluster } from '../../shared/ports/cluster.ts';

/** Writes a claim into its object while no other writer stores a later record. */
export const project = (cluster: Cluster, claim: NodeClaim): Promise<void> =>
  cluster.projectNodeClaim(claim, async () => claim);
