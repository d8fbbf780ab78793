import { DO_NOT_DISRUPT_ANNOTATION } from '../model/labels.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { NodeClaimObject } from '../model/node-claim-object.ts';

/**
 * The claim with what a person wrote on its object. A do-not-disrupt that came with the pool's
 * template is on the Node as well, and taken away there.
 *
 * @returns the very claim that came in, if nothing changed
 */
export function absorb(claim: NodeClaim, object: NodeClaimObject): NodeClaim {
  const isOwn = claim.annotations[DO_NOT_DISRUPT_ANNOTATION] === 'true';
  const isKept = !isOwn && object.annotations[DO_NOT_DISRUPT_ANNOTATION] === 'true';
  if (isKept === (claim.keptByHand ?? false)) return claim;

  const { keptByHand: _, ...rest } = claim;
  return isKept ? { ...rest, keptByHand: true } : rest;
}
