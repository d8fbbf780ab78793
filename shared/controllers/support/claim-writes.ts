import { type Deletion, markDeleting } from '../../lifecycle/termination/deletion.ts';
import { StaleNodeClaimError, StaleObjectError } from '../../model/errors.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { RecordVersion, StoredNodeClaim } from '../../ports/records.ts';
import { unlessUnreadable } from './unreadable-records.ts';

/** Shows the latest record of the claim in the cluster. */
export const projectClaim = (
  { nodeClaims, cluster }: Pick<Ports, 'nodeClaims' | 'cluster'>,
  claim: NodeClaim,
): Promise<void> => cluster.projectNodeClaim(claim, async () => (await nodeClaims.find(claim.name))?.claim);

/**
 * Writes the record, then shows it in the cluster.
 *
 * @throws StaleNodeClaimError - another writer came first: read and decide again
 */
export async function storeClaim(
  ports: Pick<Ports, 'nodeClaims' | 'cluster'>,
  claim: NodeClaim,
  expectedVersion: RecordVersion,
): Promise<StoredNodeClaim> {
  await ports.nodeClaims.save(claim, expectedVersion);
  await projectClaim(ports, claim);
  return { claim, version: expectedVersion + 1 };
}

/**
 * @returns false if another writer changed the object or record meanwhile: the next run looks at it again
 */
export async function writeUnlessStale(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof StaleNodeClaimError || error instanceof StaleObjectError) return false;
    throw error;
  }
}

const MAX_ATTEMPTS = 5;
/**
 * Leaves the planner time to place the pods of a deleted node together before the first is evicted.
 */
export const DRAIN_DELAY_MS = SECOND_MS;

/**
 * Sets a claim's deletion timestamp if it has none, and sends the hints that start its drain. Does
 * nothing if its record cannot be read.
 *
 * @returns true if this call set it, so that callers count and report it once
 */
export async function deleteClaim(
  ports: Pick<Ports<'plan' | 'claim'>, 'nodeClaims' | 'cluster' | 'queue' | 'clock'>,
  name: string,
  deletion: Deletion,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await unlessUnreadable(() => ports.nodeClaims.find(name));
    if (!stored || stored.claim.terminatedAt !== undefined) return false;

    const claim = markDeleting(stored.claim, deletion);
    if (claim === stored.claim) {
      // The process that set the timestamp may have crashed before it sent the hints.
      if (claim.drainingAt === undefined) await requestPlanAndReconcile(ports, claim);
      return false;
    }
    try {
      await ports.nodeClaims.save(claim, stored.version);
    } catch (error) {
      if (!(error instanceof StaleNodeClaimError) || attempt === MAX_ATTEMPTS) throw error;
      continue;
    }
    // The start of the drain shows it in the cluster.
    await requestPlanAndReconcile(ports, claim);
    return stored.claim.deletingAt === undefined;
  }
}

async function requestPlanAndReconcile(
  { queue, clock }: Pick<Ports<'plan' | 'claim'>, 'queue' | 'clock'>,
  { name }: NodeClaim,
): Promise<void> {
  await queue.send({ topic: 'plan' });
  await queue.send({ topic: 'claim', claim: name }, clock.now() + DRAIN_DELAY_MS);
}
