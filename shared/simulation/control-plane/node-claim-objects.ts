import { getOrCreate } from '../../model/memo.ts';
import { listClaimConditions } from '../../model/nodes/claim-conditions.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';

/** Converts a record to the object that the simulated cluster shows. */
export const toNodeClaimObject = (claim: NodeClaim): NodeClaimObject => ({
  name: claim.name,
  uid: claim.uid,
  createdAt: claim.createdAt,
  labels: { ...claim.launch?.labels, ...claim.labels },
  annotations: claim.annotations,
  owners: [],
  finalizers: ['karpenter.sh/termination'],
  ...(claim.deletingAt !== undefined && { deletionAt: claim.deletingAt }),
  nodeClass: claim.nodeClass,
  requirements: claim.requirements,
  taints: claim.taints,
  startupTaints: claim.startupTaints,
  requests: claim.requests,
  ...(claim.expireAfterMs !== undefined && { expireAfterMs: claim.expireAfterMs }),
  ...(claim.terminationGracePeriodMs !== undefined && { terminationGracePeriodMs: claim.terminationGracePeriodMs }),
  ...(claim.launch && { providerId: claim.launch.providerId }),
  ...(claim.nodeName !== undefined && { nodeName: claim.nodeName }),
  capacity: claim.launch?.capacity ?? {},
  allocatable: claim.launch?.allocatable ?? {},
  ...(claim.lastPodEventAt !== undefined && { lastPodEventAt: claim.lastPodEventAt }),
  conditions: listClaimConditions(claim).map((condition) => ({ message: '', ...condition })),
});

/** Returns the same object for the same record, so that an unchanged list costs nothing. */
export function createNodeClaimObjectCache(): (claims: readonly NodeClaim[]) => readonly NodeClaimObject[] {
  const cache = new WeakMap<NodeClaim, NodeClaimObject>();
  return (claims) =>
    claims.map((claim) => {
      return getOrCreate(cache, claim, () => toNodeClaimObject(claim));
    });
}
