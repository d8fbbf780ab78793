/*
 * The launch record protocol: one EC2 request, and which instance belongs to which claim.
 *
 * Equal claims of a decision share a record, up to 100 (`launch-groups.ts`). The record's id is the
 * instances' tag; id and attempt are the client token of CreateFleet. Instances of a group launch carry
 * no claim's name, so only the record tells whose they are.
 *
 *     1 beginLaunchCall       2 cloud.launch        3 recordAnswer          4 store the claims
 *     calledAt, attempt n     CreateFleet           launches, closedAt      (apply-launch-record.ts)
 *     ----+-----------------------+---------------------+----------------------+---------> time
 *         |                       |                     |                      |
 *         |  crash after 1 or 2: unanswered for 40 s,   |  crash after 3: the claims'
 *         |  then the same attempt is repeated; EC2 is  |  reconciliation reads the record
 *         |  searched for the tag first                 |
 *         |                                             refused: attempt n + 1 after 1 s to 1 min,
 *         |                                             or attempt n after 10 s to 1 min if it may have launched
 *         one caller at a time: versions decide; after a refusal none before `retryAt`
 *
 * - `closedAt` is set by an answer without refusal. Claims of a closed record that have no launch got
 *   no capacity and are terminated; their pods are planned again.
 * - A claim that is deleted first leaves its record (`leaveLaunchRecord`). An instance that EC2 still
 *   delivers belongs to no claim, and garbage collection terminates it.
 * - `closeAbandonedLaunches` closes records that no claim waits for, and removes them an hour later, once
 *   each claim has stored its instance.
 */

import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { LaunchResult } from '../../ports/cloud.ts';
import type { Ports } from '../../ports/ports.ts';
import type { LaunchRecord, RecordList, StoredLaunch, StoredNodeClaim } from '../../ports/records.ts';

/** The ports of all code that launches, whichever function runs it. */
export type LaunchPorts = Ports<'plan' | 'claim' | 'sweep'>;

/**
 * Upper bound of a call, waiting for the call budget included. A caller that is silent for longer
 * has crashed.
 */
const MAX_CALL_MS = 40 * SECOND_MS;

/** The time after which the caller's answer will not come any more. */
export const computeCallDeadline = ({ calledAt }: LaunchRecord): EpochMs => calledAt + MAX_CALL_MS;

/** EC2 lists a launched instance within seconds. */
const EC2_VISIBLE_AFTER_MS = 10 * SECOND_MS;
const MIN_RETRY_MS = SECOND_MS;
const MAX_RETRY_MS = MINUTE_MS;

/**
 * 1 s, 2 s, 4 s and so on, up to a minute; 10 s, 20 s and so on if the answer may have launched. Part of
 * the record, because a command, its claims and the sweep call for the same launch.
 */
function computeRetryAt(attempt: number, uncertainAnswers: number, now: EpochMs): EpochMs {
  const delayMs =
    uncertainAnswers > 0 ? EC2_VISIBLE_AFTER_MS * 2 ** (uncertainAnswers - 1) : MIN_RETRY_MS * 2 ** (attempt - 1);
  return now + Math.min(delayMs, MAX_RETRY_MS);
}

const isCallRunning = (record: LaunchRecord, now: EpochMs): boolean =>
  record.closedAt === undefined && !record.refused && now < computeCallDeadline(record);

/** The exclusive right to call EC2 for a record. */
export interface LaunchCall extends StoredLaunch {
  /** True if an earlier call may have launched instances without recording its answer. */
  readonly isRepeated: boolean;
}

/**
 * Records that EC2 is about to be called (step 1 of the protocol above).
 *
 * @returns undefined if no call is needed, or another process is calling
 */
export async function beginLaunchCall(
  { launches, clock }: Pick<Ports, 'launches' | 'clock'>,
  id: string,
  claims: readonly NodeClaim[],
): Promise<LaunchCall | undefined> {
  const now = clock.now();
  const names = claims.map(({ name }) => name);
  // Most calls are the first of their record: try to create it without reading.
  const firstRecord = { id, attempt: 1, claims: names, calledAt: now, launches: {} };
  if (await launches.save(firstRecord, 0)) return { record: firstRecord, version: 1, isRepeated: false };

  const existing = await launches.find(id);
  if (!existing || !needsCall(existing.record, names, now)) return undefined;
  const record = withNextCall(existing.record, names, now);
  if (!(await launches.save(record, existing.version))) return undefined;
  return { record, version: existing.version + 1, isRepeated: mayHaveLaunched(existing.record) };
}

/** True if the last attempt may have launched instances that are not in the record. */
const mayHaveLaunched = (record: LaunchRecord): boolean =>
  isUnanswered(record) || record.uncertainAnswers !== undefined;

/** The answer of the last call was not recorded. */
const isUnanswered = ({ closedAt, refused }: LaunchRecord): boolean => closedAt === undefined && !refused;

/** A closed record needs another call if claims were added after its answer. */
function needsCall(record: LaunchRecord, claims: readonly string[], now: EpochMs): boolean {
  if (isCallRunning(record, now) || (record.refused && now < (record.retryAt ?? now))) return false;
  return record.closedAt === undefined || claims.some((name) => !record.claims.includes(name));
}

/**
 * An answered attempt is followed by a new request; an unanswered one is repeated under the same
 * client token.
 */
function withNextCall(record: LaunchRecord, claims: readonly string[], now: EpochMs): LaunchRecord {
  const { id, attempt, launches, uncertainAnswers } = record;
  return {
    id,
    attempt: mayHaveLaunched(record) ? attempt : attempt + 1,
    claims: [...new Set([...Object.keys(launches), ...claims])],
    calledAt: now,
    launches,
    ...(uncertainAnswers !== undefined && { uncertainAnswers }),
  };
}

/**
 * Records which instance belongs to which claim (step 3).
 *
 * @returns the stored record; without this answer if another process repeated the call meanwhile,
 *   and then the instances are found by their launch tag
 */
export async function recordAnswer(
  { launches, clock }: Pick<Ports, 'launches' | 'clock'>,
  call: StoredLaunch,
  answer: LaunchResult,
): Promise<LaunchRecord> {
  let { record, version } = call;
  for (;;) {
    const next = withAnswer(record, answer, clock.now());
    if (await launches.save(next, version)) return next;
    const current = await launches.find(record.id);
    if (!current || current.record.calledAt !== record.calledAt) return current?.record ?? record;
    ({ record, version } = current);
  }
}

function withAnswer(
  call: LaunchRecord,
  { launches, unavailable, refusal, isUncertain }: LaunchResult,
  now: EpochMs,
): LaunchRecord {
  const { uncertainAnswers: before = 0, ...record } = call;
  const uncertainAnswers = isUncertain ? before + 1 : 0;
  const waiting = listWaitingClaims(record);
  const assigned = waiting.flatMap((name, index) => {
    const launch = launches[index];
    return launch ? [[name, launch] as const] : [];
  });
  const isComplete = !refusal || assigned.length === waiting.length;
  return {
    ...record,
    launches: { ...record.launches, ...Object.fromEntries(assigned) },
    ...(unavailable.length > 0 && { foundShortage: true }),
    ...(isComplete
      ? { closedAt: now }
      : {
          refused: true,
          ...(uncertainAnswers > 0 && { uncertainAnswers }),
          retryAt: computeRetryAt(record.attempt, uncertainAnswers, now),
        }),
  };
}

/** The names of claims that have no instance yet. */
export const listWaitingClaims = ({ claims, launches }: LaunchRecord): readonly string[] =>
  claims.filter((name) => !Object.hasOwn(launches, name));

/**
 * Removes a deleted claim from its launch. An instance that EC2 still delivers for it belongs to no
 * claim, and garbage collection terminates it.
 *
 * @returns the provider id of the instance that the claim has already
 */
export async function leaveLaunchRecord(
  { launches }: Pick<Ports, 'launches'>,
  id: string,
  claim: string,
): Promise<string | undefined> {
  for (;;) {
    const current = await launches.find(id);
    if (!current) return undefined;
    const { record, version } = current;
    const launch = ownValue(record.launches, claim);
    if (launch || !record.claims.includes(claim)) return launch?.providerId;
    const claims = record.claims.filter((name) => name !== claim);
    if (await launches.save({ ...record, claims }, version)) return undefined;
  }
}

/** Closed records are kept this long, so that late instances can be told from leaks. */
const RETENTION_MS = HOUR_MS;

/**
 * Closes launches that no claim waits for, and removes records that were closed long ago. Other
 * records are continued by their claims. A record with a claim that cannot be read stays: it tells
 * which instance is the claim's.
 *
 * @returns the records after these changes
 */
export async function closeAbandonedLaunches(
  ports: Pick<Ports, 'launches' | 'clock'>,
  claims: RecordList<StoredNodeClaim>,
): Promise<RecordList<LaunchRecord>> {
  const stored = await ports.launches.list();
  const byName = new Map(claims.records.map(({ claim }) => [claim.name, claim]));
  const unreadableClaims = new Set(claims.unreadable.map(({ name }) => name));
  const records = await Promise.all(
    stored.records.map(async (one) =>
      one.record.claims.some((name) => unreadableClaims.has(name)) ? one.record : closeIfAbandoned(ports, one, byName),
    ),
  );
  return { records, unreadable: stored.unreadable };
}

/** True if a claim has not stored its instance yet: only the record tells which one it is. */
const isBeingStored = ({ launches }: LaunchRecord, claims: ReadonlyMap<string, NodeClaim>): boolean =>
  Object.keys(launches).some((name) => {
    const claim = claims.get(name);
    return claim !== undefined && claim.launch === undefined;
  });

async function closeIfAbandoned(
  { launches, clock }: Pick<Ports, 'launches' | 'clock'>,
  { record, version }: StoredLaunch,
  claims: ReadonlyMap<string, NodeClaim>,
): Promise<LaunchRecord> {
  const now = clock.now();
  if (record.closedAt !== undefined) {
    const isOld = now > record.closedAt + RETENTION_MS;
    if (isOld && !isBeingStored(record, claims)) await launches.remove(record.id);
    return record;
  }
  // A claim may have its instance from elsewhere, if the table was restored from a backup.
  const isAwaited = listWaitingClaims(record).some((name) => {
    const claim = claims.get(name);
    return claim !== undefined && claim.deletingAt === undefined && claim.launch === undefined;
  });
  if (isAwaited || isCallRunning(record, now)) return record;
  const closed = { ...record, closedAt: now };
  return (await launches.save(closed, version)) ? closed : record;
}
