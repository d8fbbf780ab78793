import type { Deletion } from '../../lifecycle/termination/deletion.ts';
import { listLastingCauses, requiresForcedRemoval } from '../../lifecycle/termination/impairments.ts';
import type { ImpairmentCause } from '../../model/nodes/interruption.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { EpochMs } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { deleteClaim, writeUnlessStale } from '../support/claim-writes.ts';

/**
 * Deletes claims whose instance fails EC2's status checks or is scheduled to stop. Runs every
 * minute. The causes are recorded on the claim, so that each is counted once.
 *
 * @param claims - claims that are not terminated
 */
export async function checkInstanceStatus(ports: PortsOf<'sweep'>, claims: readonly NodeClaim[]): Promise<void> {
  const impairments = Map.groupBy(await ports.cloud.impairments(), ({ providerId }) => providerId);
  const now = ports.clock.now();
  for (const claim of claims) {
    const causes = listLastingCauses(impairments.get(claim.launch?.providerId ?? '') ?? [], now);
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

/** An existing deadline stays: it was set for the node's end as well. */
async function removeImpaired(
  ports: PortsOf<'sweep'>,
  { name, drainDeadline }: NodeClaim,
  { causes, mostSevere, now }: ImpairedState,
): Promise<void> {
  const isAtOnce = requiresForcedRemoval(causes) && drainDeadline === undefined;
  const deletion: Deletion = {
    removal: 'Interrupted',
    interruption: mostSevere,
    at: now,
    ...(isAtOnce && { deadline: now }),
  };
  const isFirst = await deleteClaim(ports, name, deletion);
  if (!isFirst) return;
  await ports.decisionLog.recordEvent({
    kind: 'impaired',
    at: now,
    claim: name,
    cause: mostSevere,
  });
}

async function recordCauses(
  { nodeClaims }: PortsOf<'sweep'>,
  { name, impairments = [] }: NodeClaim,
  causes: readonly ImpairmentCause[],
): Promise<void> {
  if (impairments.join() === causes.join()) return;
  const stored = await nodeClaims.find(name);
  if (!stored || stored.claim.terminatedAt !== undefined) return;
  const { impairments: _, ...healthyClaim } = stored.claim;
  const claim = causes.length > 0 ? { ...healthyClaim, impairments: causes } : healthyClaim;
  await writeUnlessStale(() => nodeClaims.save(claim, stored.version));
}
