import { StaleNodeClaimError } from '../../model/errors.ts';
import type { NodeClaim } from '../../model/node-claim.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Commit, Epoch, Stored } from '../../ports/records.ts';
import type { Ports } from '../../ports/ports.ts';
import { endOfAll, forEachInTurns } from '../support/run-all.ts';

const RETRY_AFTER_MS = SECOND_MS;
/** Launches are under way beside it, and come first. */
const SHOWN_AT_ONCE = 16;

type Sources = Pick<Ports, 'clock' | 'cluster' | 'nodeClaims' | 'commands' | 'commits' | 'queue'>;

/**
 * Makes the records of the latest commit, if whoever made it did not live to. Comes before every
 * look at the records: what was decided and is not on record would be decided once more.
 *
 * @returns the epoch that the records are of now, at least
 */
export async function settleCommit(ports: Sources): Promise<Epoch> {
  const { epoch, open } = await ports.commits.latest();
  if (open) await makeRecords(ports, open, epoch);
  return epoch;
}

/** May be repeated, and done by many at once: names that derive from the decision are taken once. */
export async function makeRecords(ports: Sources, commit: Commit, epoch: Epoch): Promise<void> {
  const records = await saveRecords(ports, commit);
  if (commit.command) await ports.commands.add(commit.command);
  await closeCommit(ports, records, epoch);
}

/** @returns what is on record under the names of the commit's claims */
export async function saveRecords(ports: Sources, { claims }: Commit): Promise<readonly Stored[]> {
  const records = await Promise.all(claims.map((claim) => saveNew(ports, claim)));
  return records.flatMap((stored) => stored ?? []);
}

/** Shows the records in the cluster, and says that nobody else need make them. */
export async function closeCommit(
  { cluster, commits }: Sources,
  records: readonly Stored[],
  epoch: Epoch,
): Promise<void> {
  // One that is over by now has left the cluster, and must not come back.
  const current = records.filter(({ claim }) => claim.terminatedAt === undefined);
  await endOfAll([
    commits.close(epoch),
    forEachInTurns(current, SHOWN_AT_ONCE, ({ claim }) => cluster.projectNodeClaim(claim)),
  ]);
}

/** Stores a claim, and shows it in the cluster. */
export async function storeNew(ports: Sources, claim: NodeClaim): Promise<Stored | undefined> {
  const stored = await saveNew(ports, claim);
  if (stored && stored.claim.terminatedAt === undefined) {
    await ports.cluster.projectNodeClaim(stored.claim);
  }
  return stored;
}

/**
 * A name that is taken is this claim's, stored by another run; or, by chance, another decision's:
 * then the pods are planned once more.
 *
 * @returns what is stored under the name
 */
async function saveNew(ports: Sources, claim: NodeClaim): Promise<Stored | undefined> {
  try {
    await ports.nodeClaims.save(claim, 0);
    return { claim, version: 1 };
  } catch (error) {
    if (!(error instanceof StaleNodeClaimError)) throw error;
    const found = await ports.nodeClaims.find(claim.name);
    if (found?.claim.decision !== claim.decision) {
      await ports.queue.send({ topic: 'plan' }, ports.clock.now() + RETRY_AFTER_MS);
    }
    return found;
  }
}
