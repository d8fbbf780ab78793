import type { NodeClaim } from '../../model/node-claim.ts';

/** EC2 takes a thousand; but what fails, fails for all of them. */
const MOST_TOGETHER = 100;

/** The launch record of a claim. */
export const launchIdOf = ({ launchId, uid }: NodeClaim): string => launchId ?? uid;

/**
 * Puts claims that EC2 may launch by one request under one launch record: they may become the same
 * instances, and those are set up in the same way.
 */
export function groupedForLaunch(
  claims: readonly NodeClaim[],
  decision: string,
): readonly NodeClaim[] {
  const groups = Object.values(Object.groupBy(claims, likenessOf)).map((group = []) => group);
  const packs = groups.flatMap((group) => packsOf(group));
  const idOf = new Map(
    packs.flatMap((pack, index) => pack.map(({ name }) => [name, `${decision}-${index}`])),
  );
  return claims.map((claim) => ({ ...claim, launchId: idOf.get(claim.name) ?? claim.uid }));
}

/** All that the request, or the instance's user data, is made of. */
const likenessOf = (claim: NodeClaim): string =>
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

const packsOf = (group: readonly NodeClaim[]): readonly (readonly NodeClaim[])[] =>
  Array.from({ length: Math.ceil(group.length / MOST_TOGETHER) }, (_, index) =>
    group.slice(index * MOST_TOGETHER, (index + 1) * MOST_TOGETHER),
  );
