import type { Log } from '../aws/log.ts';
import { withChangeListener } from '../controllers/support/claim-decorators.ts';
import { type NodeClaim, phaseOf } from '../model/nodes/node-claim.ts';
import type { NodeClaims } from '../ports/records.ts';

/**
 * The same records, with a line in the log for each phase that a claim reaches. All of them carry the
 * decision that asked for the claim, and the instance and node as soon as there are: so one id leads
 * from the decision to the instance, and from an instance back.
 */
export const logClaimPhases = (nodeClaims: NodeClaims, log: Log): NodeClaims =>
  withChangeListener(nodeClaims, (before, after) => {
    const phase = phaseOf(after);
    if (before && phaseOf(before) === phase) return;
    log({ level: 'info', message: `NodeClaim ${phase}`, fields: toLogFields(after) });
  });

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
    ...(nodeName === undefined ? {} : { node: nodeName }),
    ...(removal === undefined ? {} : { removal }),
  };
}
