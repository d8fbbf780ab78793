import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { StaleNodeClaimError } from '../model/errors.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { PlannedClaim } from '../model/plans.ts';
import { podKey } from '../model/pod.ts';
import { SECOND_MS } from '../model/time.ts';
import type { Stored } from '../ports/node-claims.ts';
import type { Ports } from '../ports/ports.ts';
import { launchClaim } from './launch-claim.ts';
import { launchEvent } from './provisioning-events.ts';
import { storeClaim } from './store-claim.ts';

const RETRY_AFTER_MS = SECOND_MS;

/**
 * Stores every claim of a plan, then launches them, so that no instance is ever without a record
 * and the next plan sees them all, whatever becomes of this invocation.
 */
export async function launchPlanned(
  ports: Ports,
  claims: readonly PlannedClaim[],
  snapshot: ClusterSnapshot,
): Promise<void> {
  const stored = await Promise.all(
    claims.map(async (planned) => ({
      planned,
      stored: await storeNew(ports, withWait(planned, snapshot)),
    })),
  );
  await Promise.all(
    stored.map(async (plan) => {
      if (plan.stored) await launchOne(ports, plan.planned, plan.stored, snapshot);
    }),
  );
}

/** @returns absent, if the name is taken: by an earlier run of this decision, or by chance */
export async function storeNew(ports: Ports, claim: NodeClaim): Promise<Stored | undefined> {
  try {
    return await storeClaim(ports, claim, 0);
  } catch (error) {
    if (!(error instanceof StaleNodeClaimError)) throw error;
    const found = await ports.nodeClaims.find(claim.name);
    // The former is launched by its own reconciliation, the latter's pods are planned once more.
    if (found?.claim.decision === claim.decision) {
      await ports.queue.send({ topic: 'claim', claim: claim.name });
    } else {
      await ports.queue.send({ topic: 'plan' }, ports.clock.now() + RETRY_AFTER_MS);
    }
    return undefined;
  }
}

/** A launch that fails neither stops the others nor is lost: the claim's own queue repeats it. */
async function launchOne(
  ports: Ports,
  planned: PlannedClaim,
  stored: Stored,
  snapshot: ClusterSnapshot,
): Promise<void> {
  try {
    const launch = await launchClaim(ports, stored);
    if (launch) await ports.journal.happened(launchEvent(planned, launch, snapshot));
  } catch {
    const retryAt = ports.clock.now() + RETRY_AFTER_MS;
    await ports.queue.send({ topic: 'claim', claim: stored.claim.name }, retryAt);
  }
}

/** Notes how long the pods have waited when the claim is made; moved pods have not. */
function withWait({ claim, pods }: PlannedClaim, { pods: all }: ClusterSnapshot): NodeClaim {
  const wanted = new Set(pods);
  const times = all
    .filter((pod) => wanted.has(podKey(pod)))
    .flatMap(({ unschedulableSince }) => unschedulableSince ?? []);
  return times.length > 0 ? { ...claim, podsWaitedSince: Math.min(...times) } : claim;
}
