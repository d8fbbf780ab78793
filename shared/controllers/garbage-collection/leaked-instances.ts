import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { SweepState } from '../../ports/learned-state.ts';
import type { LaunchRecord } from '../../ports/records.ts';
import { listWaitingClaims } from '../launch/launch-record.ts';

/** More instances than both limits suggest lost records, not leaks. */
const SUSPICIOUS_COUNT = 5;
const SUSPICIOUS_SHARE = 0.2;
/** Two sweeps, a minute apart; a schedule may fire a few seconds early or late. */
const CONFIRMED_AFTER_MS = MINUTE_MS - 10 * SECOND_MS;
/** The answer of a closed launch may not be stored on the claims yet. */
const ANSWER_DELAY_MS = MINUTE_MS;

const LIVE_STATES: ReadonlySet<Instance['state']> = new Set(['pending', 'running', 'stopped']);

/** A stopped instance counts as live, because it can be started again. */
export const isLiveInstance = ({ state }: Pick<Instance, 'state'>): boolean => LIVE_STATES.has(state);

/** The records about instances. They must be read after the instances were listed. */
export interface InstanceRecords {
  /** By claim name; terminated claims are left out. */
  readonly claims: ReadonlyMap<string, NodeClaim>;
  /** Provider ids of the instances of `claims`. */
  readonly launched: ReadonlySet<string>;
  readonly launches: ReadonlyMap<string, LaunchRecord>;
  /** Names of claims and ids of launches whose records cannot be read. */
  readonly unreadable: {
    readonly claims: ReadonlySet<string>;
    readonly launches: ReadonlySet<string>;
  };
  /** Names of terminated claims that running instances are tagged with. */
  readonly ended: ReadonlySet<string>;
}

/** How the records account for an instance. */
export type InstanceStanding =
  /** A claim has it, or may still get it because its launch is open. */
  | 'kept'
  /** The records show that no claim will get it. */
  | 'surplus'
  /** No record mentions it. */
  | 'unexplained';

export function classifyInstance(instance: Instance, records: InstanceRecords, now: EpochMs): InstanceStanding {
  const { providerId, claim: name, launchId } = instance;
  if (records.launched.has(providerId) || mayBeUnreadable(instance, records)) return 'kept';

  const claim = records.claims.get(name);
  // Its next reconciliation takes the instance, or launches another, which makes this one surplus.
  if (claim && !claim.launch) return 'kept';
  const launch = records.launches.get(launchId ?? '');
  if (launch) {
    const isKept = !isLongClosed(launch, now) || isAwaited(instance, launch, records);
    return isKept ? 'kept' : 'surplus';
  }
  // The claim has another instance: EC2 launched twice.
  if (claim) return 'surplus';
  return records.ended.has(name) ? 'surplus' : 'unexplained';
}

/** True if the instance may belong to a claim whose record, or whose launch's, cannot be read. */
function mayBeUnreadable(
  { providerId, claim, launchId = '' }: Instance,
  { unreadable, launches }: InstanceRecords,
): boolean {
  if (unreadable.claims.has(claim) || unreadable.launches.has(launchId)) return true;
  const launch = launches.get(launchId);
  if (!launch || unreadable.claims.size === 0) return false;
  const owner = findOwner(providerId, launch);
  if (owner !== undefined) return unreadable.claims.has(owner);
  return listWaitingClaims(launch).some((name) => unreadable.claims.has(name));
}

const findOwner = (providerId: string, { launches }: LaunchRecord): string | undefined =>
  Object.keys(launches).find((name) => launches[name]?.providerId === providerId);

const isLongClosed = ({ closedAt }: LaunchRecord, now: EpochMs): boolean =>
  closedAt !== undefined && now >= closedAt + ANSWER_DELAY_MS;

/**
 * The launch record gives the instance to a claim that has not stored it yet. That may take longer
 * than a minute: each of the claim's reconciliations may fail.
 */
function isAwaited({ providerId }: Instance, launch: LaunchRecord, { claims }: InstanceRecords): boolean {
  const claim = claims.get(findOwner(providerId, launch) ?? '');
  return claim !== undefined && claim.launch === undefined;
}

export interface LeakDecision {
  readonly leaks: readonly Instance[];
  /** Not terminated without an operator's confirmation, because there are too many. */
  readonly withheld: readonly Instance[];
  readonly state: SweepState;
}

/**
 * Decides which instances to terminate that are surplus or unexplained: those that two complete sweeps
 * have seen. Instances that are adopted are not passed in.
 *
 * @param fleet - the number of running instances
 */
export function findLeaks(suspects: readonly Instance[], fleet: number, state: SweepState, now: EpochMs): LeakDecision {
  const since = suspects.map(({ providerId }) => [providerId, ownValue(state.unexplained, providerId) ?? now] as const);
  const nextState = { ...state, unexplained: Object.fromEntries(since) };
  const isConfirmed = now < (state.confirmedUntil ?? 0);
  if (!isConfirmed && isSuspicious(suspects.length, fleet)) {
    return { leaks: [], withheld: suspects, state: nextState };
  }
  const confirmed = new Set(since.filter(([, at]) => now - at >= CONFIRMED_AFTER_MS).map(([providerId]) => providerId));
  const leaks = suspects.filter(({ providerId }) => confirmed.has(providerId));
  return { leaks, withheld: [], state: nextState };
}

const isSuspicious = (count: number, fleet: number): boolean =>
  count > SUSPICIOUS_COUNT && count > SUSPICIOUS_SHARE * fleet;
