/*
 * The commit protocol: how a decision becomes records, completely or not at all.
 *
 * The planner and disruption decide without a lock, on a snapshot. The snapshot's epoch is the number
 * of the last commit in it. One conditional write, the commit, makes a decision take effect; the
 * records of its claims are created from the commit afterwards.
 *
 *     observe      decide    lease    recover     add commit    save      launch,    close
 *     (epoch 7)              5 s      + re-read   (epoch 8)     records   project
 *     ----+-----------+--------+---------+-----------+------------+----------+---------+---> time
 *         |           |        |         |           |            |          |         |
 *         |  crash: nothing happened     |           |  crash: the next reader calls   |
 *         |                              |           |  recoverCommit, which creates   |
 *         |                              |           |  the records (same names)       |
 *         |                              stale if the epoch moved or
 *         |                              the decision's inputs changed
 *         recoverCommit runs first
 *
 * - The commit is written only if the stored epoch is still the snapshot's and no holder of a later
 *   lease has written (fence). A holder that slept past its term is therefore refused.
 * - The lease only saves work: planners that commit at the same time do not all re-read the records
 *   for a write that only one of them can win.
 * - Claim names derive from the decision, so that records can be created repeatedly and concurrently.
 * - Every reader of the records calls `recoverCommit` first.
 * - A disruption command commits in the same way, but ignores plans that did not touch its nodes and
 *   pools (`commit-command.ts`).
 *
 * See docs/decisions/0016-commit-plans-with-one-conditional-write.md.
 */

import { awaitAll, forEachWithLimit } from '../../model/concurrency.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Commit, Epoch, Lease, StoredNodeClaim } from '../../ports/records.ts';
import { projectClaim, writeUnlessStale } from '../support/claim-writes.ts';
import { unlessUnreadable } from '../support/unreadable-records.ts';

/**
 * A commit takes a few reads and one write. A holder that needs longer has crashed or is too late.
 */
const LEASE_TERM_MS = 5 * SECOND_MS;

/** `stale`: the state changed since the snapshot, so the caller has to decide again. */
export type CommitOutcome = 'committed' | 'stale';

interface LeasedCommit<Result> {
  readonly outcome: Result | 'stale';
  /**
   * Resolves when the lease is returned. Callers continue at once, but an invocation must not end
   * before.
   */
  readonly released: Promise<void>;
}

/**
 * Runs `commit` while holding the commit lease, so that one process at a time reads the records and
 * adds to them. The lease only saves work; epoch and fence keep commits correct.
 *
 * @param decision - names the holder, distinct per invocation
 */
export async function withCommitLease<Result>(
  { leases, clock, ownership }: Pick<Ports, 'leases' | 'clock' | 'ownership'>,
  decision: string,
  commit: (lease: Lease) => Promise<Result | 'stale'>,
): Promise<LeasedCommit<Result>> {
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
/** A plan of a thousand claims must neither open a thousand connections nor exceed the table's rate. */
const MAX_CONCURRENT_SAVES = 64;
/** Projections run beside the launches and must leave them the API server's capacity. */
const MAX_CONCURRENT_PROJECTIONS = 16;

type RecoveryPorts = Pick<
  Ports<'plan' | 'sweep'>,
  'clock' | 'cluster' | 'nodeClaims' | 'commands' | 'commits' | 'queue'
>;

/**
 * Creates the records of the latest commit if the process that committed it crashed. Must run
 * before the records are read: a decision without records would be made twice.
 *
 * @returns the epoch that the records have reached, at least
 */
export async function recoverCommit(ports: RecoveryPorts): Promise<Epoch> {
  const { epoch, open } = await ports.commits.latest();
  if (open) await createRecords(ports, open, epoch);
  return epoch;
}

/**
 * Idempotent and safe to run concurrently: claim names derive from the decision, so each record is
 * created once.
 */
export async function createRecords(ports: RecoveryPorts, commit: Commit, epoch: Epoch): Promise<void> {
  const records = await saveRecords(ports, commit);
  if (commit.command) await ports.commands.add(commit.command);
  await closeCommit(ports, records, epoch);
}

/**
 * @returns the records under the names of the commit's claims
 */
export async function saveRecords(ports: RecoveryPorts, { claims }: Commit): Promise<readonly StoredNodeClaim[]> {
  const records = new Map<string, StoredNodeClaim>();
  await forEachWithLimit(claims, MAX_CONCURRENT_SAVES, async (claim) => {
    const stored = await saveNewClaim(ports, claim);
    if (stored) records.set(claim.name, stored);
  });
  return claims.flatMap(({ name }) => records.get(name) ?? []);
}

/**
 * Shows the records in the cluster and marks the commit as closed, so that no other process
 * recovers it.
 */
export async function closeCommit(
  ports: RecoveryPorts,
  records: readonly StoredNodeClaim[],
  epoch: Epoch,
): Promise<void> {
  // A terminated claim has left the cluster and must not reappear.
  const current = records.filter(({ claim }) => claim.terminatedAt === undefined);
  await awaitAll([
    ports.commits.close(epoch),
    forEachWithLimit(current, MAX_CONCURRENT_PROJECTIONS, ({ claim }) => projectClaim(ports, claim)),
  ]);
}

/** Stores a new claim and shows it in the cluster. */
export async function storeNewClaim(ports: RecoveryPorts, claim: NodeClaim): Promise<StoredNodeClaim | undefined> {
  const stored = await saveNewClaim(ports, claim);
  if (stored && stored.claim.terminatedAt === undefined) {
    await projectClaim(ports, stored.claim);
  }
  return stored;
}

/**
 * Stores a claim under a name that should be free. If the name is taken, the record is this
 * claim's, stored by an earlier run; or, by chance, another decision's, and then a new plan is
 * requested.
 *
 * @returns the record under the name; undefined if it cannot be read
 */
async function saveNewClaim(ports: RecoveryPorts, claim: NodeClaim): Promise<StoredNodeClaim | undefined> {
  if (await writeUnlessStale(() => ports.nodeClaims.save(claim, 0))) return { claim, version: 1 };
  const existing = await unlessUnreadable(() => ports.nodeClaims.find(claim.name));
  if (existing?.claim.decision !== claim.decision) {
    await ports.queue.send({ topic: 'plan' }, ports.clock.now() + RETRY_AFTER_MS);
  }
  return existing;
}
