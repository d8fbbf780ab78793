import { StaleNodeClaimError } from '../../model/errors.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Commit, Epoch, Lease, Stored } from '../../ports/records.ts';
import { awaitAll, forEachWithLimit } from '../support/run-all.ts';

/** A commit takes some reads and one write. Who needs longer than this is dead, or too late. */
const LEASE_TERM_MS = 5 * SECOND_MS;

/** `stale`: something else came first, so what was decided need not hold any more. Decide again. */
export type CommitOutcome = 'committed' | 'stale';

interface LeasedCommit<Outcome> {
  readonly outcome: Outcome | 'stale';
  /** The lease is on its way back: nobody need wait, but an invocation must not end before. */
  readonly released: Promise<void>;
}

/**
 * Has one commit at a time look at the records and add to them. The lease is short and saves work:
 * that no two take effect on the same state is what epoch and fence are for.
 *
 * @param decision - tells this invocation from others
 */
export async function withCommitLease<Outcome>(
  { leases, clock, ownership }: Pick<Ports, 'leases' | 'clock' | 'ownership'>,
  decision: string,
  commit: (lease: Lease) => Promise<Outcome | 'stale'>,
): Promise<LeasedCommit<Outcome>> {
  const [{ outcome: ownershipOutcome }, lease] = await Promise.all([
    ownership.claim(),
    leases.acquire('commit', { holder: decision, now: clock.now(), forMs: LEASE_TERM_MS }),
  ]);
  if (!lease) return { outcome: 'stale', released: Promise.resolve() };
  try {
    const outcome = ownershipOutcome === 'owner' ? await commit(lease) : 'stale';
    return { outcome, released: leases.release(lease) };
  } catch (error) {
    await leases.release(lease);
    throw error;
  }
}

const RETRY_AFTER_MS = SECOND_MS;
/** Launches are under way beside it, and come first. */
const MAX_CONCURRENT_PROJECTIONS = 16;

type CommitPorts = Pick<Ports, 'clock' | 'cluster' | 'nodeClaims' | 'commands' | 'commits' | 'queue'>;

/**
 * Makes the records of the latest commit, if whoever made it did not live to. Comes before every
 * look at the records: what was decided and is not on record would be decided once more.
 *
 * @returns the epoch that the records are of now, at least
 */
export async function recoverCommit(ports: CommitPorts): Promise<Epoch> {
  const { epoch, open } = await ports.commits.latest();
  if (open) await createRecords(ports, open, epoch);
  return epoch;
}

/** May be repeated, and done by many at once: names that derive from the decision are taken once. */
export async function createRecords(ports: CommitPorts, commit: Commit, epoch: Epoch): Promise<void> {
  const records = await saveRecords(ports, commit);
  if (commit.command) await ports.commands.add(commit.command);
  await closeCommit(ports, records, epoch);
}

/** @returns what is on record under the names of the commit's claims */
export async function saveRecords(ports: CommitPorts, { claims }: Commit): Promise<readonly Stored[]> {
  const records = await Promise.all(claims.map((claim) => saveNewClaim(ports, claim)));
  return records.flatMap((stored) => stored ?? []);
}

/** Shows the records in the cluster, and says that nobody else need make them. */
export async function closeCommit(
  { cluster, commits }: CommitPorts,
  records: readonly Stored[],
  epoch: Epoch,
): Promise<void> {
  // One that is over by now has left the cluster, and must not come back.
  const current = records.filter(({ claim }) => claim.terminatedAt === undefined);
  await awaitAll([
    commits.close(epoch),
    forEachWithLimit(current, MAX_CONCURRENT_PROJECTIONS, ({ claim }) => cluster.projectNodeClaim(claim)),
  ]);
}

/** Stores a claim, and shows it in the cluster. */
export async function storeNewClaim(ports: CommitPorts, claim: NodeClaim): Promise<Stored | undefined> {
  const stored = await saveNewClaim(ports, claim);
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
async function saveNewClaim(ports: CommitPorts, claim: NodeClaim): Promise<Stored | undefined> {
  try {
    await ports.nodeClaims.save(claim, 0);
    return { claim, version: 1 };
  } catch (error) {
    if (!(error instanceof StaleNodeClaimError)) throw error;
    const existing = await ports.nodeClaims.find(claim.name);
    if (existing?.claim.decision !== claim.decision) {
      await ports.queue.send({ topic: 'plan' }, ports.clock.now() + RETRY_AFTER_MS);
    }
    return existing;
  }
}
