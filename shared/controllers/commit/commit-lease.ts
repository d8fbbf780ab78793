import { SECOND_MS } from '../../model/time.ts';
import type { Lease } from '../../ports/records.ts';
import type { Ports } from '../../ports/ports.ts';

/** A commit takes some reads and one write. Who needs longer than this is dead, or too late. */
const TERM_MS = 5 * SECOND_MS;

/** `stale`: something else came first, so what was decided need not hold any more. Decide again. */
export type CommitOutcome = 'committed' | 'stale';

export interface Committed<Outcome> {
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
export async function underCommitLease<Outcome>(
  { leases, clock, ownership }: Pick<Ports, 'leases' | 'clock' | 'ownership'>,
  decision: string,
  commit: (lease: Lease) => Promise<Outcome | 'stale'>,
): Promise<Committed<Outcome>> {
  const [{ outcome: standing }, lease] = await Promise.all([
    ownership.claim(),
    leases.acquire('commit', { holder: decision, now: clock.now(), forMs: TERM_MS }),
  ]);
  if (!lease) return { outcome: 'stale', released: Promise.resolve() };
  try {
    const outcome = standing === 'owner' ? await commit(lease) : 'stale';
    return { outcome, released: leases.release(lease) };
  } catch (error) {
    await leases.release(lease);
    throw error;
  }
}
