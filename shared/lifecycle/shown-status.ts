import { listClaimConditions } from '../model/nodes/claim-conditions.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../model/nodes/node-claim-object.ts';
import { type EpochMs, SECOND_MS } from '../model/time.ts';

/**
 * False if the object shows an older status than the record has: the process that stored the record
 * ended before it wrote the status. Conditions of other writers do not count.
 */
export function showsStatus(object: NodeClaimObject, claim: NodeClaim): boolean {
  const shown = new Map(object.conditions.map((condition) => [condition.type, condition]));
  return (
    object.providerId === claim.launch?.providerId &&
    object.nodeName === claim.nodeName &&
    toSeconds(object.lastPodEventAt) === toSeconds(claim.lastPodEventAt) &&
    listClaimConditions(claim).every(({ type, status, reason }) => {
      const condition = shown.get(type);
      return condition?.status === status && condition.reason === reason;
    })
  );
}

/** The API server stores whole seconds. */
const toSeconds = (time: EpochMs | undefined): number | undefined =>
  time === undefined ? undefined : Math.floor(time / SECOND_MS);
