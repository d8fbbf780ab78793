import { launchGroup } from '../../../shared/controllers/launch/launch-claims.ts';
import { groupForLaunch } from '../../../shared/controllers/launch/launch-groups.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { StoredNodeClaim } from '../../../shared/ports/records.ts';
import { aNodeClaim } from '../../support/builders.ts';
import type { MotoWorld } from './world.ts';

/** A claim of a class of the run. */
export const claimOf = (nodeClass: string, over: Partial<NodeClaim>): NodeClaim => {
  const claim = aNodeClaim(over);
  return { ...claim, nodeClass: { ...claim.nodeClass, name: nodeClass } };
};

/** Stores claims as a plan's commit does, those that may be launched together under one record. */
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

/** One request to EC2 for each record, as a planner makes them. One that fails is left to the queue. */
export async function launchAll(
  { ports, fake }: MotoWorld,
  records: readonly StoredNodeClaim[],
): Promise<number> {
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
