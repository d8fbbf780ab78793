import { splitIntoBatches } from '../../model/concurrency.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';

/**
 * The most claims of one launch record. CreateFleet accepts 1000 instances, but a failed call fails for all
 * of them.
 */
export const MAX_GROUP_SIZE = 100;

/** The id of the claim's launch record. */
export const launchIdOf = ({ launchId, uid }: NodeClaim): string => launchId ?? uid;

/**
 * Gives claims that one EC2 request can launch the same launch id: they have equal requirements and
 * user data, so any instance suits any of them.
 */
export function groupForLaunch(claims: readonly NodeClaim[], decision: string): readonly NodeClaim[] {
  const groups = Object.values(Object.groupBy(claims, toGroupKey)).map((group = []) => group);
  const requests = groups.flatMap((group) => splitIntoBatches(group, MAX_GROUP_SIZE));
  const idOf = new Map(requests.flatMap((request, index) => request.map(({ name }) => [name, `${decision}-${index}`])));
  return claims.map((claim) => ({ ...claim, launchId: idOf.get(claim.name) ?? claim.uid }));
}

/** The id of the decision that a launch belongs to; the uid of a standalone NodeClaim as it is. */
export const toDecisionId = (launchId: string): string => launchId.replace(/-\d+$/, '');

/** Everything that the request or the user data is built from. */
const toGroupKey = (claim: NodeClaim): string =>
  JSON.stringify([
    claim.pool,
    claim.nodeClass,
    claim.labels,
    claim.annotations,
    claim.taints,
    claim.startupTaints,
    claim.requirements,
    claim.instanceTypes,
  ]);
