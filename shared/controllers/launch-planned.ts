import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { PlannedClaim } from '../model/plans.ts';
import { SECOND_MS } from '../model/time.ts';
import type { Ports } from '../ports/ports.ts';
import { launchClaim } from './launch-claim.ts';
import { launchEvent } from './provisioning-events.ts';

const RETRY_AFTER_MS = SECOND_MS;

/** Launches the claims of a plan that was committed: all of them are on record. */
export async function launchPlanned(
  ports: Ports,
  claims: readonly PlannedClaim[],
  snapshot: ClusterSnapshot,
): Promise<void> {
  await Promise.all(claims.map((planned) => launchOne(ports, planned, snapshot)));
}

/** A launch that fails neither stops the others nor is lost: the claim's own queue repeats it. */
async function launchOne(
  ports: Ports,
  planned: PlannedClaim,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const { name } = planned.claim;
  try {
    const stored = await ports.nodeClaims.find(name);
    // Another decision has the name, or somebody else was quicker.
    if (stored?.claim.decision !== planned.claim.decision || stored.claim.launch) return;
    const launch = await launchClaim(ports, stored);
    if (launch) await ports.journal.happened(launchEvent(planned, launch, snapshot));
  } catch {
    await ports.queue.send({ topic: 'claim', claim: name }, ports.clock.now() + RETRY_AFTER_MS);
  }
}
