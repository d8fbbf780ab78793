import { DO_NOT_DISRUPT_ANNOTATION } from '../model/labels.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../model/nodes/node-claim-object.ts';
import { SECOND_MS } from '../model/time.ts';

/**
 * The claim with what a person wrote on its object. A do-not-disrupt that came with the pool's
 * template is on the Node as well, and taken away there.
 *
 * @returns the very claim that came in, if nothing changed
 */
export const applyObjectChanges = (claim: NodeClaim, object: NodeClaimObject): NodeClaim =>
  withEarlierDeadline(withProtection(claim, object), object);

/** Of two deadlines the earlier stands. Objects have whole seconds: what we wrote is no earlier one. */
function withEarlierDeadline(claim: NodeClaim, { deadline }: NodeClaimObject): NodeClaim {
  if (deadline === undefined) return claim;
  const own = claim.drainDeadline;
  const isEarlier = own === undefined || deadline < own - (own % SECOND_MS);
  return isEarlier ? { ...claim, drainDeadline: deadline } : claim;
}

function withProtection(claim: NodeClaim, object: NodeClaimObject): NodeClaim {
  const isFromPool = claim.annotations[DO_NOT_DISRUPT_ANNOTATION] === 'true';
  const isProtected = !isFromPool && object.annotations[DO_NOT_DISRUPT_ANNOTATION] === 'true';
  if (isProtected === (claim.keptByHand ?? false)) return claim;

  const { keptByHand: _, ...rest } = claim;
  return isProtected ? { ...rest, keptByHand: true } : rest;
}
