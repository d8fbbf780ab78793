import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { SweepNotes } from '../../ports/learned-state.ts';
import type { LaunchRecord } from '../../ports/records.ts';

/** Above both, so many instances that nothing accounts for speak of lost records, not of leaks. */
const SUSPICIOUS_COUNT = 5;
const SUSPICIOUS_SHARE = 0.2;
/** Two sweeps see it, a minute apart; schedules are a few seconds early or late. */
const CONFIRMED_AFTER_MS = MINUTE_MS - 10 * SECOND_MS;
/** The answer to a launch may still be on its way to the claims. */
const ANSWER_DELAY_MS = MINUTE_MS;

/** What is on record about instances, all of it read after they were. */
export interface InstanceRecords {
  /** Not terminated, by name. */
  readonly claims: ReadonlyMap<string, NodeClaim>;
  /** Provider ids of theirs. */
  readonly launched: ReadonlySet<string>;
  readonly launches: ReadonlyMap<string, LaunchRecord>;
  /** Names of claims that are over, as far as instances are tagged with them. */
  readonly ended: ReadonlySet<string>;
}

/** What an instance is to us. */
export type InstanceStanding =
  /** A claim's, or it may become one's: its launch is not over. */
  | 'kept'
  /** The records say that nobody is to have it. */
  | 'surplus'
  /** No record says anything of it. */
  | 'unexplained';

export function classifyInstance(instance: Instance, records: InstanceRecords, now: EpochMs): InstanceStanding {
  const { providerId, claim: name, launchId } = instance;
  if (records.launched.has(providerId)) return 'kept';

  const launch = records.launches.get(launchId ?? '');
  if (launch) return isLongClosed(launch, now) ? 'surplus' : 'kept';
  const claim = records.claims.get(name);
  // One that is being launched by a release without launch records; or a launch that came twice.
  if (claim) return claim.launch ? 'surplus' : 'kept';
  return records.ended.has(name) ? 'surplus' : 'unexplained';
}

const isLongClosed = ({ closedAt }: LaunchRecord, now: EpochMs): boolean =>
  closedAt !== undefined && now >= closedAt + ANSWER_DELAY_MS;

export interface LeakDecision {
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
export function findLeaks(
  unexplained: readonly Instance[],
  fleet: number,
  notes: SweepNotes,
  now: EpochMs,
): LeakDecision {
  const since = unexplained.map(
    ({ providerId }) => [providerId, notes.unexplained[providerId] ?? now] as const,
  );
  const next = { ...notes, unexplained: Object.fromEntries(since) };
  const isConfirmed = now < (notes.confirmedUntil ?? 0);
  if (!isConfirmed && isSuspicious(unexplained.length, fleet)) {
    return { end: [], held: unexplained, notes: next };
  }
  const confirmed = new Set(
    since.filter(([, at]) => now - at >= CONFIRMED_AFTER_MS).map(([providerId]) => providerId),
  );
  const end = unexplained.filter(({ providerId }) => confirmed.has(providerId));
  return { end, held: [], notes: next };
}

const isSuspicious = (count: number, fleet: number): boolean =>
  count > SUSPICIOUS_COUNT && count > SUSPICIOUS_SHARE * fleet;
