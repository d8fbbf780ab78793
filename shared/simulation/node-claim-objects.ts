import type { NodeClaim } from '../model/node-claim.ts';
import type { NodeClaimObject } from '../model/node-claim-object.ts';

/** A record as the simulated cluster shows it. Nobody judges conditions here: nobody reads them. */
export const nodeClaimObjectOf = (claim: NodeClaim): NodeClaimObject => ({
  name: claim.name,
  uid: claim.uid,
  createdAt: claim.createdAt,
  labels: { ...claim.launch?.labels, ...claim.labels },
  annotations: claim.annotations,
  owners: [],
  finalizers: ['karpenter.sh/termination'],
  ...(claim.deletingAt === undefined ? {} : { deletionAt: claim.deletingAt }),
  nodeClass: claim.nodeClass,
  requirements: claim.requirements,
  taints: claim.taints,
  startupTaints: claim.startupTaints,
  requests: claim.requests,
  ...(claim.expireAfterMs === undefined ? {} : { expireAfterMs: claim.expireAfterMs }),
  ...(claim.terminationGracePeriodMs === undefined
    ? {}
    : { terminationGracePeriodMs: claim.terminationGracePeriodMs }),
  ...(claim.launch ? { providerId: claim.launch.providerId } : {}),
  ...(claim.nodeName === undefined ? {} : { nodeName: claim.nodeName }),
  capacity: claim.launch?.capacity ?? {},
  allocatable: claim.launch?.allocatable ?? {},
  conditions: [],
});

/** The same object for the same record, so that an unchanged list costs nothing. */
export function createNodeClaimObjects(): (
  claims: readonly NodeClaim[],
) => readonly NodeClaimObject[] {
  const known = new WeakMap<NodeClaim, NodeClaimObject>();
  return (claims) =>
    claims.map((claim) => {
      const object = known.get(claim) ?? nodeClaimObjectOf(claim);
      known.set(claim, object);
      return object;
    });
}
