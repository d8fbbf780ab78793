import type { NodeClaim } from '../../model/nodes/node-claim.ts';

/** EC2 takes a thousand; but what fails, fails for all of them. */
const MAX_GROUP_SIZE = 100;

/** The launch record of a claim. */
export const launchIdOf = ({ launchId, uid }: NodeClaim): string => launchId ?? uid;

/**
 * Puts claims that EC2 may launch by one request under one launch record: they may become the same
 * instances, and those are set up in the same way.
 */
export function groupForLaunch(
  claims: readonly NodeClaim[],
  decision: string,
): readonly NodeClaim[] {
  const groups = Object.values(Object.groupBy(claims, toGroupKey)).map((group = []) => group);
  const requests = groups.flatMap((group) => splitBySize(group));
  const idOf = new Map(
    requests.flatMap((request, index) => request.map(({ name }) => [name, `${decision}-${index}`])),
  );
  return claims.map((claim) => ({ ...claim, launchId: idOf.get(claim.name) ?? claim.uid }));
}

/** All that the request, or the instance's user data, is made of. */
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

const splitBySize = (group: readonly NodeClaim[]): readonly (readonly NodeClaim[])[] =>
  Array.from({ length: Math.ceil(group.length / MAX_GROUP_SIZE) }, (_, index) =>
    group.slice(index * MAX_GROUP_SIZE, (index + 1) * MAX_GROUP_SIZE),
  );
