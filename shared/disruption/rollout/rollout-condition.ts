import type { NodeClassState } from '../../model/nodes/drift.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodeClassCondition } from '../../model/nodes/resolved-node-class.ts';
import { listCurrentVersions } from './image-version.ts';

/**
 * Computes the class's RolloutHealthy condition. It is informational: a class with a stopped
 * rollout can still launch nodes, because only a new node can show that the image works.
 */
export function computeRolloutCondition(nodeClass: NodeClassState, claims: readonly NodeClaim[]): NodeClassCondition {
  const own = claims.filter((claim) => claim.nodeClass.name === nodeClass.name && claim.deletingAt === undefined);
  const old = own.filter(({ drift }) => drift !== undefined).length;
  const { stopped } = nodeClass;
  if (stopped && listCurrentVersions(nodeClass).includes(stopped.version)) {
    const message = `${stopped.why}; until a node of it is ready, ${countText(old)} will not be replaced`;
    return { type: 'RolloutHealthy', status: 'False', reason: 'RolloutStopped', message };
  }
  if (old > 0) {
    const message = `${old} of ${countText(own.length)} still to be replaced`;
    return { type: 'RolloutHealthy', status: 'Unknown', reason: 'RolloutInProgress', message };
  }
  return { type: 'RolloutHealthy', status: 'True', reason: 'RolloutHealthy', message: '' };
}

const countText = (nodes: number): string => `${nodes} node${nodes === 1 ? '' : 's'}`;
