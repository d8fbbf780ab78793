import { showsStatus } from '../../lifecycle/shown-status.ts';
import { forEachWithLimit } from '../../model/concurrency.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { Ports } from '../../ports/ports.ts';
import { projectClaim } from '../support/claim-writes.ts';

/** Limits the requests of one sweep; the next one repairs the others. */
const MAX_REPAIRS = 100;
const MAX_CONCURRENT = 10;

/** The object names an instance that the record lacks: the record is older (`restore-launch.ts`). */
const knowsMore = ({ providerId }: NodeClaimObject, { launch }: NodeClaim): boolean =>
  providerId !== undefined && launch === undefined;

/**
 * Writes the status of NodeClaims whose object is behind the record. Nothing else would write it
 * again while the claim does not change.
 */
export async function repairStatuses(
  ports: Pick<Ports, 'nodeClaims' | 'cluster'>,
  claims: readonly NodeClaim[],
  { nodeClaims }: Pick<ClusterObjects, 'nodeClaims'>,
): Promise<void> {
  const objects = new Map(nodeClaims.map((object) => [object.name, object]));
  const outdated = claims.filter((claim) => {
    const object = objects.get(claim.name);
    return object !== undefined && !knowsMore(object, claim) && !showsStatus(object, claim);
  });
  await forEachWithLimit(outdated.slice(0, MAX_REPAIRS), MAX_CONCURRENT, (claim) => projectClaim(ports, claim));
}
