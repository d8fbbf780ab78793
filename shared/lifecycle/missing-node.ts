import type { ClusterEvent } from '../model/explanations/events.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { isRebooting } from '../model/nodes/reboot.ts';
import { type EpochMs, MINUTE_MS } from '../model/time.ts';
import type { Observed } from './observed.ts';

/**
 * A kubelet registers its Node only when it starts. Within this time a user
 * may have restarted the kubelet after deleting the Node.
 */
const MISSING_NODE_GRACE_MS = 3 * MINUTE_MS;

/**
 * Records since when a registered Node is missing although EC2 says that its instance runs. It is
 * forgotten when the Node is back.
 *
 * @returns `claim` itself if nothing changed
 */
export function recordMissingNode(claim: NodeClaim, observed: Observed): NodeClaim {
  if (observed.nodes.length > 0) return withoutMissingNode(claim);
  return claim.nodeMissingSince === undefined && isNodeMissing(claim, observed)
    ? { ...claim, nodeMissingSince: observed.now }
    : claim;
}

function withoutMissingNode(claim: NodeClaim): NodeClaim {
  const { nodeMissingSince, ...claimWithNode } = claim;
  return nodeMissingSince === undefined ? claim : claimWithNode;
}

/** Computes when a claim without its Node is given up; `undefined` if its Node is not missing. */
export const computeMissingNodeDeadline = ({ nodeMissingSince }: NodeClaim): EpochMs | undefined =>
  nodeMissingSince === undefined ? undefined : nodeMissingSince + MISSING_NODE_GRACE_MS;

/**
 * The claim ends if a second observation, after the grace period, agrees with the first: pods
 * cannot run there, and the instance costs money.
 */
export function findMissingNode(
  claim: NodeClaim,
  observed: Observed,
): { readonly removal: 'Unhealthy'; readonly events: readonly ClusterEvent[] } | undefined {
  const { nodeMissingSince: since } = claim;
  const { now } = observed;
  const deadline = computeMissingNodeDeadline(claim);
  if (since === undefined || deadline === undefined || now < deadline) return undefined;
  if (!isNodeMissing(claim, observed)) return undefined;
  return {
    removal: 'Unhealthy',
    events: [{ kind: 'node-missing', at: now, claim: claim.name, since }],
  };
}

/** An object that cannot be read is not missing, EC2 explains the end of an instance itself, and a reboot has its own time limit. */
const isNodeMissing = (claim: NodeClaim, { nodes, hasUnreadableNode, instance }: Observed): boolean =>
  claim.registeredAt !== undefined &&
  !isRebooting(claim) &&
  nodes.length === 0 &&
  !hasUnreadableNode &&
  (instance?.state === 'running' || instance?.state === 'pending');
