import { absorb } from '../lifecycle/absorb.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { NodeClaimObject } from '../model/node-claim-object.ts';
import type { ClusterObjects } from '../ports/cluster.ts';

/** Claims whose object and record say different things: what events about NodeClaims may miss. */
export function claimsToLookAt(
  { nodeClaims, unreadable = [] }: Pick<ClusterObjects, 'nodeClaims' | 'unreadable'>,
  claims: readonly NodeClaim[],
): readonly string[] {
  const records = new Map(claims.map((claim) => [claim.name, claim]));
  const shown = new Set([...nodeClaims, ...unreadable].map(({ name }) => name));
  const changed = nodeClaims.filter((object) => flowsBack(object, records.get(object.name)));
  const vanished = claims.filter(({ name, launch }) => launch !== undefined && !shown.has(name));
  return [...new Set([...changed, ...vanished].map(({ name }) => name))];
}

/** One without a record was made by hand, outlived its record or lost it. */
const flowsBack = (object: NodeClaimObject, record: NodeClaim | undefined): boolean =>
  !record ||
  (object.deletionAt !== undefined && record.deletingAt === undefined) ||
  absorb(record, object) !== record;
