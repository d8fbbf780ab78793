import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Reason } from '../model/explanations/reasons.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodePool } from '../model/nodes/node-pool.ts';
import type { DecisionFacts } from './decisions.ts';
import type { FixToName } from './explanation.ts';

/** A node that stays for a reason. */
export interface Question {
  readonly snapshot: ClusterSnapshot;
  readonly claim: NodeClaim;
  readonly pool: NodePool;
  readonly reason: Reason;
  readonly judge: DecisionFacts['judge'];
}

/** A change after which the node may go, and the cluster with this change. */
export interface NodeProposal {
  readonly fix: Omit<FixToName, 'hourlyUsd'>;
  readonly snapshot: ClusterSnapshot;
}
