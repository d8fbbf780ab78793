import type { Deletion } from '../../lifecycle/termination/deletion.ts';
import { isForced, lastingCauses } from '../../lifecycle/termination/impairments.ts';
import { StaleNodeClaimError } from '../../model/errors.ts';
import type { ImpairmentCause } from '../../model/nodes/interruption.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { deleteClaim } from '../support/claim-writes.ts';

/**
 * Removes claims whose instance EC2 finds broken or wants to stop. Asked for every minute: what is
 * wrong stands on the claim, so that it is counted once until it is over.
 *
 * @param claims - not terminated
 */
export async function checkInstanceStatus(ports: Ports, claims: readonly NodeClaim[]): Promise<void> {
  const impairments = Map.groupBy(await ports.cloud.impairments(), ({ providerId }) => providerId);
  const now = ports.clock.now();
  for (const claim of claims) {
    const causes = lastingCauses(impairments.get(claim.launch?.providerId ?? '') ?? [], now);
    await recordCauses(ports, claim, causes);
    const [mostSevere] = causes;
    if (mostSevere) await removeImpaired(ports, claim, { causes, mostSevere, now });
  }
}

interface ImpairedState {
  readonly causes: readonly ImpairmentCause[];
  readonly mostSevere: ImpairmentCause;
  readonly now: EpochMs;
}

/** A deadline that stands is as good as a new one: whoever set it knew of the node's end. */
async function removeImpaired(
  ports: Ports,
  { name, drainDeadline }: NodeClaim,
  { causes, mostSevere, now }: ImpairedState,
): Promise<void> {
  const isAtOnce = isForced(causes) && drainDeadline === undefined;
  const deletion: Deletion = {
    removal: 'Interrupted',
    interruption: mostSevere,
    at: now,
    ...(isAtOnce && { deadline: now }),
  };
  const isFirst = await deleteClaim(ports, name, deletion);
  if (!isFirst) return;
  await ports.journal.happened({ kind: 'impaired', at: now, claim: name, cause: mostSevere });
}

async function recordCauses(
  { nodeClaims }: Ports,
  { name, impairments = [] }: NodeClaim,
  causes: readonly ImpairmentCause[],
): Promise<void> {
  if (impairments.join() === causes.join()) return;
  const stored = await nodeClaims.find(name);
  if (!stored || stored.claim.terminatedAt !== undefined) return;
  const { impairments: _, ...healthyClaim } = stored.claim;
  const claim = causes.length > 0 ? { ...healthyClaim, impairments: causes } : healthyClaim;
  try {
    await nodeClaims.save(claim, stored.version);
  } catch (error) {
    // Somebody else is at work on it: if it is still wrong, the next look notes it.
    if (!(error instanceof StaleNodeClaimError)) throw error;
  }
}
