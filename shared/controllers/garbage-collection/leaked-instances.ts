import type { NodeClaim } from '../../model/node-claim.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { LaunchRecord } from '../../ports/records.ts';
import type { SweepNotes } from '../../ports/learned-state.ts';

/** Above both, so many instances that nothing accounts for speak of lost records, not of leaks. */
const SUSPICIOUS_COUNT = 5;
const SUSPICIOUS_SHARE = 0.2;
/** Two sweeps see it, a minute apart; schedules are a few seconds early or late. */
const SEEN_FOR_MS = MINUTE_MS - 10 * SECOND_MS;
/** The answer to a launch may still be on its way to the claims. */
const CLOSED_FOR_MS = MINUTE_MS;

/** What is on record about instances, all of it read after they were. */
export interface Records {
  /** Not terminated, by name. */
  readonly claims: ReadonlyMap<string, NodeClaim>;
  /** Provider ids of theirs. */
  readonly launched: ReadonlySet<string>;
  readonly launches: ReadonlyMap<string, LaunchRecord>;
  /** Names of claims that are over, as far as instances are tagged with them. */
  readonly ended: ReadonlySet<string>;
}

/** What an instance is to us. */
export type Standing =
  /** A claim's, or it may become one's: its launch is not over. */
  | 'kept'
  /** The records say that nobody is to have it. */
  | 'surplus'
  /** No record says anything of it. */
  | 'unexplained';

export function standingOf(instance: Instance, records: Records, now: EpochMs): Standing {
  const { providerId, claim: name, launchId } = instance;
  if (records.launched.has(providerId)) return 'kept';

  const launch = records.launches.get(launchId ?? '');
  if (launch) return isOver(launch, now) ? 'surplus' : 'kept';
  const claim = records.claims.get(name);
  // One that is being launched by a release without launch records; or a launch that came twice.
  if (claim) return claim.launch ? 'surplus' : 'kept';
  return records.ended.has(name) ? 'surplus' : 'unexplained';
}

const isOver = ({ closedAt }: LaunchRecord, now: EpochMs): boolean =>
  closedAt !== undefined && now >= closedAt + CLOSED_FOR_MS;

export interface LeakVerdict {
  readonly end: readonly Instance[];
  /** So many that a person has to say so. */
  readonly held: readonly Instance[];
  readonly notes: SweepNotes;
}

/**
 * Instances that nothing accounts for are ended when two complete looks have shown it. Those that
 * ran before the table was made, it cannot have known: they are adopted instead.
 *
 * @param fleet - how many instances run
 */
export function judgeUnexplained(
  unexplained: readonly Instance[],
  fleet: number,
  notes: SweepNotes,
  now: EpochMs,
): LeakVerdict {
  const since = unexplained.map(
    ({ providerId }) => [providerId, notes.unexplained[providerId] ?? now] as const,
  );
  const next = { ...notes, unexplained: Object.fromEntries(since) };
  const isConfirmed = now < (notes.confirmedUntil ?? 0);
  if (!isConfirmed && isSuspicious(unexplained.length, fleet)) {
    return { end: [], held: unexplained, notes: next };
  }
  const seenLong = new Set(
    since.filter(([, at]) => now - at >= SEEN_FOR_MS).map(([providerId]) => providerId),
  );
  const end = unexplained.filter(({ providerId }) => seenLong.has(providerId));
  return { end, held: [], notes: next };
}

const isSuspicious = (count: number, fleet: number): boolean =>
  count > SUSPICIOUS_COUNT && count > SUSPICIOUS_SHARE * fleet;
