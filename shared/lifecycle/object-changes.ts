import { DO_NOT_DISRUPT_ANNOTATION, DO_NOT_REPAIR_ANNOTATION } from '../model/labels.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../model/nodes/node-claim-object.ts';
import { SECOND_MS } from '../model/time.ts';

/**
 * Applies what users wrote on the NodeClaim object to the record. A do-not-disrupt annotation from
 * the pool's template is also on the Node, and users remove it there.
 *
 * @returns `claim` itself if nothing changed
 */
export const applyObjectChanges = (claim: NodeClaim, object: NodeClaimObject): NodeClaim =>
  withEarlierDeadline(withRepairVeto(withProtection(claim, object), object), object);

/**
 * Keeps the earlier of the two deadlines. Kubernetes stores whole seconds, so a deadline that we
 * wrote ourselves may look earlier by less than a second and is ignored.
 */
function withEarlierDeadline(claim: NodeClaim, { deadline }: NodeClaimObject): NodeClaim {
  if (deadline === undefined) return claim;
  const own = claim.drainDeadline;
  const isEarlier = own === undefined || deadline < own - (own % SECOND_MS);
  return isEarlier ? { ...claim, drainDeadline: deadline } : claim;
}

function withRepairVeto(claim: NodeClaim, object: NodeClaimObject): NodeClaim {
  const isVetoed = object.annotations[DO_NOT_REPAIR_ANNOTATION] === 'true';
  if (isVetoed === (claim.repairVetoed ?? false)) return claim;

  const { repairVetoed: _, ...repairableClaim } = claim;
  return isVetoed ? { ...repairableClaim, repairVetoed: true } : repairableClaim;
}

function withProtection(claim: NodeClaim, object: NodeClaimObject): NodeClaim {
  const isFromPool = claim.annotations[DO_NOT_DISRUPT_ANNOTATION] === 'true';
  const isProtected = !isFromPool && object.annotations[DO_NOT_DISRUPT_ANNOTATION] === 'true';
  if (isProtected === (claim.keptByHand ?? false)) return claim;

  const { keptByHand: _, ...unprotectedClaim } = claim;
  return isProtected ? { ...unprotectedClaim, keptByHand: true } : unprotectedClaim;
}
