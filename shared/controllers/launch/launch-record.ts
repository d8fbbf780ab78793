import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { type EpochMs, HOUR_MS, SECOND_MS } from '../../model/time.ts';
import type { LaunchAnswer } from '../../ports/cloud.ts';
import type { Ports } from '../../ports/ports.ts';
import type { LaunchRecord, StoredLaunch } from '../../ports/records.ts';

/** Nobody waits longer for its turn and for EC2's answer; who is silent for so long has died before it. */
const MAX_CALL_MS = 40 * SECOND_MS;

/** When it is known that whoever asked EC2 will not tell the answer any more. */
export const computeCallDeadline = ({ calledAt }: LaunchRecord): EpochMs => calledAt + MAX_CALL_MS;

const isCallRunning = (record: LaunchRecord, now: EpochMs): boolean =>
  record.closedAt === undefined && !record.refused && now < computeCallDeadline(record);

/** A right to ask EC2, for one of many who may try. */
export interface LaunchCall extends StoredLaunch {
  /** Somebody asked before and did not live to write down the answer. */
  readonly isRepeated: boolean;
}

/**
 * Writes down that EC2 is about to be asked.
 *
 * @returns absent: it need not, or somebody else is about to
 */
export async function beginLaunchCall(
  { launches, clock }: Pick<Ports, 'launches' | 'clock'>,
  id: string,
  claims: readonly NodeClaim[],
): Promise<LaunchCall | undefined> {
  const now = clock.now();
  const names = claims.map(({ name }) => name);
  // Most are the first: to write is to ask.
  const firstRecord = { id, attempt: 1, claims: names, calledAt: now, launches: {} };
  if (await launches.save(firstRecord, 0)) return { record: firstRecord, version: 1, isRepeated: false };

  const existing = await launches.find(id);
  if (!existing || !needsCall(existing.record, names, now)) return undefined;
  const record = withNextCall(existing.record, names, now);
  if (!(await launches.save(record, existing.version))) return undefined;
  return { record, version: existing.version + 1, isRepeated: mayHaveLaunched(existing.record) };
}

/** What the last attempt has launched is not known for sure. */
const mayHaveLaunched = (record: LaunchRecord): boolean =>
  isUnanswered(record) || record.uncertain === true;

/** Nobody knows what EC2 said. */
const isUnanswered = ({ closedAt, refused }: LaunchRecord): boolean => closedAt === undefined && !refused;

/** A claim that came on record after the answer has not been asked for. */
function needsCall(record: LaunchRecord, claims: readonly string[], now: EpochMs): boolean {
  if (isCallRunning(record, now)) return false;
  return record.closedAt === undefined || claims.some((name) => !record.claims.includes(name));
}

/** Once answered it is another request; without an answer it is the same again. */
function withNextCall(
  { attempt, launches, id, ...before }: LaunchRecord,
  claims: readonly string[],
  now: EpochMs,
): LaunchRecord {
  return {
    id,
    attempt: mayHaveLaunched({ id, attempt, launches, ...before }) ? attempt : attempt + 1,
    claims: [...new Set([...Object.keys(launches), ...claims])],
    calledAt: now,
    launches,
  };
}

/**
 * Writes down whose instances they are.
 *
 * @returns the record as it is then; not with this answer, if somebody took the call for dead: then
 * the instances are found by their tag
 */
export async function recordAnswer(
  { launches, clock }: Pick<Ports, 'launches' | 'clock'>,
  call: StoredLaunch,
  answer: LaunchAnswer,
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
  record: LaunchRecord,
  { launches, unavailable, refusal, isUncertain }: LaunchAnswer,
  now: EpochMs,
): LaunchRecord {
  const waiting = listWaitingClaims(record);
  const assigned = waiting.flatMap((name, index) => {
    const launch = launches[index];
    return launch ? [[name, launch] as const] : [];
  });
  const isOver = !refusal || assigned.length === waiting.length;
  return {
    ...record,
    launches: { ...record.launches, ...Object.fromEntries(assigned) },
    ...(unavailable.length > 0 && { foundDry: true }),
    ...(isOver ? { closedAt: now } : { refused: true, ...(isUncertain && { uncertain: true }) }),
  };
}

/** Claims that have no instance yet. */
export const listWaitingClaims = ({ claims, launches }: LaunchRecord): readonly string[] =>
  claims.filter((name) => !Object.hasOwn(launches, name));

/**
 * Takes a claim that is given up out of its launch, so that what EC2 still sends is nobody's, and the
 * sweep ends it.
 *
 * @returns the instance that it has already
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
    const launch = record.launches[claim];
    if (launch || !record.claims.includes(claim)) return launch?.providerId;
    const claims = record.claims.filter((name) => name !== claim);
    if (await launches.save({ ...record, claims }, version)) return undefined;
  }
}

/** So long what came of a launch can still be told from leaks. */
const RETENTION_MS = HOUR_MS;

/**
 * Closes launches that nobody waits for any more, and forgets those that are long over. All others
 * are seen to by their claims.
 *
 * @param claims - by name, not terminated
 * @returns the records as they are then
 */
export async function closeAbandonedLaunches(
  ports: Pick<Ports, 'launches' | 'clock'>,
  claims: ReadonlyMap<string, NodeClaim>,
): Promise<ReadonlyMap<string, LaunchRecord>> {
  const stored = await ports.launches.list();
  const records = await Promise.all(stored.map((one) => closeIfAbandoned(ports, one, claims)));
  return new Map(records.map((record) => [record.id, record]));
}

async function closeIfAbandoned(
  { launches, clock }: Pick<Ports, 'launches' | 'clock'>,
  { record, version }: StoredLaunch,
  claims: ReadonlyMap<string, NodeClaim>,
): Promise<LaunchRecord> {
  const now = clock.now();
  if (record.closedAt !== undefined) {
    if (now > record.closedAt + RETENTION_MS) await launches.remove(record.id);
    return record;
  }
  const isAwaited = listWaitingClaims(record).some(
    (name) => claims.get(name)?.deletingAt === undefined && claims.has(name),
  );
  if (isAwaited || isCallRunning(record, now)) return record;
  const closed = { ...record, closedAt: now };
  return (await launches.save(closed, version)) ? closed : record;
}
