import { launchGroup } from '../../../shared/controllers/launch/launch-claims.ts';
import { groupForLaunch } from '../../../shared/controllers/launch/launch-groups.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { StoredNodeClaim } from '../../../shared/ports/records.ts';
import { aNodeClaim } from '../../support/builders.ts';
import type { MotoWorld } from './world.ts';

/** Builds a claim for a class of the run. */
export const claimOf = (nodeClass: string, over: Partial<NodeClaim>): NodeClaim => {
  const claim = aNodeClaim(over);
  return { ...claim, nodeClass: { ...claim.nodeClass, name: nodeClass } };
};

/**
 * Stores claims as the commit of a plan does: claims that can be launched together share one launch
 * record.
 */
export async function storeClaims(
  { ports, fake }: MotoWorld,
  claims: readonly NodeClaim[],
  decision: string,
): Promise<readonly StoredNodeClaim[]> {
  const grouped = groupForLaunch(
    claims.map((claim) => ({ ...claim, decision, createdAt: fake.now })),
    decision,
  );
  await Promise.all(grouped.map((claim) => ports.nodeClaims.save(claim, 0)));
  return grouped.map((claim) => ({ claim, version: 1 }));
}

/**
 * Sends one request to EC2 for each launch record, as the planner does. A failed one is left to the
 * queue.
 */
export async function launchAll({ ports, fake }: MotoWorld, records: readonly StoredNodeClaim[]): Promise<number> {
  const groups = Object.values(Object.groupBy(records, ({ claim }) => claim.launchId ?? ''));
  await Promise.all(
    groups.map(async (group = []) => {
      try {
        await launchGroup(ports, group);
      } catch {
        for (const { claim } of group) {
          fake.sent.push({ hint: { topic: 'claim', claim: claim.name }, at: fake.now + 1_000 });
        }
      }
    }),
  );
  return groups.length;
}
