import type { Deletion } from '../../lifecycle/deletion.ts';
import { isForced, lastingCauses } from '../../lifecycle/impairments.ts';
import { StaleNodeClaimError } from '../../model/errors.ts';
import type { ImpairmentCause } from '../../model/interruption.ts';
import type { NodeClaim } from '../../model/node-claim.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import { deleteClaim } from '../support/claim-writes.ts';

/**
 * Removes claims whose instance EC2 finds broken or wants to stop. Asked for every minute: what is
 * wrong stands on the claim, so that it is counted once until it is over.
 *
 * @param claims - not terminated
 */
export async function checkInstances(ports: Ports, claims: readonly NodeClaim[]): Promise<void> {
  const found = Map.groupBy(await ports.cloud.impairments(), ({ providerId }) => providerId);
  const now = ports.clock.now();
  for (const claim of claims) {
    const causes = lastingCauses(found.get(claim.launch?.providerId ?? '') ?? [], now);
    await noteCauses(ports, claim, causes);
    const [gravest] = causes;
    if (gravest) await leave(ports, claim, { causes, gravest, now });
  }
}

interface Trouble {
  readonly causes: readonly ImpairmentCause[];
  readonly gravest: ImpairmentCause;
  readonly now: EpochMs;
}

/** A deadline that stands is as good as a new one: whoever set it knew of the node's end. */
async function leave(
  ports: Ports,
  { name, drainDeadline }: NodeClaim,
  { causes, gravest, now }: Trouble,
): Promise<void> {
  const isAtOnce = isForced(causes) && drainDeadline === undefined;
  const deletion: Deletion = {
    removal: 'Interrupted',
    interruption: gravest,
    at: now,
    ...(isAtOnce && { deadline: now }),
  };
  const first = await deleteClaim(ports, name, deletion);
  if (!first) return;
  await ports.journal.happened({ kind: 'impaired', at: now, claim: name, cause: gravest });
}

async function noteCauses(
  { nodeClaims }: Ports,
  { name, impairments = [] }: NodeClaim,
  causes: readonly ImpairmentCause[],
): Promise<void> {
  if (impairments.join() === causes.join()) return;
  const stored = await nodeClaims.find(name);
  if (!stored || stored.claim.terminatedAt !== undefined) return;
  const { impairments: _, ...rest } = stored.claim;
  const claim = causes.length > 0 ? { ...rest, impairments: causes } : rest;
  try {
    await nodeClaims.save(claim, stored.version);
  } catch (error) {
    // Somebody else is at work on it: if it is still wrong, the next look notes it.
    if (!(error instanceof StaleNodeClaimError)) throw error;
  }
}
