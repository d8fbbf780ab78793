import type { Log } from '../aws/log.ts';
import { withChangeListener } from '../controllers/support/claim-decorators.ts';
import { type NodeClaim, phaseOf } from '../model/nodes/node-claim.ts';
import type { NodeClaims } from '../ports/records.ts';

/**
 * Wraps NodeClaims so that each phase that a claim reaches has one log line, here or as an event. Every line carries
 * the decision that created the claim and, once they exist, the instance and the Node: one id leads
 * from the decision to the instance and back.
 */
export const logClaimPhases = (nodeClaims: NodeClaims, log: Log): NodeClaims =>
  withChangeListener(nodeClaims, (before, after) => {
    const phase = phaseOf(after);
    if ((before && phaseOf(before) === phase) || LOGGED_AS_EVENTS.has(phase)) return;
    log({ level: 'info', message: `NodeClaim ${phase}`, fields: toLogFields(after) });
  });

/** The lines `launch`, `ready` and `terminated` of the events say the same. */
const LOGGED_AS_EVENTS: ReadonlySet<ReturnType<typeof phaseOf>> = new Set(['launched', 'initialized', 'terminated']);

function toLogFields({ name, pool, decision, launch, nodeName, removal }: NodeClaim) {
  return {
    claim: name,
    pool,
    decision,
    ...(launch && {
      instance: launch.providerId,
      instanceType: launch.instanceType,
      zone: launch.zone,
      capacityType: launch.capacityType,
    }),
    ...(nodeName !== undefined && { node: nodeName }),
    ...(removal !== undefined && { removal }),
  };
}
