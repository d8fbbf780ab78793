import type { Launch, NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { Cloud, LaunchRequest, LaunchResult } from '../../shared/ports/cloud.ts';

/** The result of a launch for one claim. */
export type LaunchOutcome =
  | {
      readonly outcome: 'launched';
      readonly launch: Launch;
      readonly unavailable: LaunchResult['unavailable'];
    }
  | { readonly outcome: 'unavailable'; readonly unavailable: LaunchResult['unavailable'] };

/**
 * Requests the instance of one claim, as a first attempt by default.
 *
 * @throws LaunchFailedError - EC2 refused for a reason other than capacity
 */
export async function launchOne(
  cloud: Cloud,
  claim: NodeClaim,
  over: Partial<LaunchRequest> = {},
): Promise<LaunchOutcome> {
  const id = `${claim.name}/${claim.uid}`;
  const request = { id, attempt: 1, claims: [claim], isRepeated: false, existingInstances: [] };
  const { launches, unavailable, refusal } = await cloud.launch({ ...request, ...over });
  if (refusal) throw refusal;
  const [launch] = launches;
  return launch ? { outcome: 'launched', launch, unavailable } : { outcome: 'unavailable', unavailable };
}
