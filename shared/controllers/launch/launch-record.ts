import type { NodeClaim } from '../../model/node-claim.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { LaunchAnswer } from '../../ports/cloud.ts';
import type { LaunchRecord, StoredLaunch } from '../../ports/records.ts';
import type { Ports } from '../../ports/ports.ts';

/** Nobody waits longer for its turn and for EC2's answer; who is silent for so long has died before it. */
const CALL_LASTS_MS = 40 * SECOND_MS;

/** When it is known that whoever asked EC2 will not tell the answer any more. */
export const answeredBy = ({ calledAt }: LaunchRecord): EpochMs => calledAt + CALL_LASTS_MS;

export const isUnderWay = (record: LaunchRecord, now: EpochMs): boolean =>
  record.closedAt === undefined && !record.refused && now < answeredBy(record);

/** A right to ask EC2, for one of many who may try. */
export interface Call extends StoredLaunch {
  /** Somebody asked before and did not live to write down the answer. */
  readonly isRepeated: boolean;
}

/**
 * Writes down that EC2 is about to be asked.
 *
 * @returns absent: it need not, or somebody else is about to
 */
export async function beginCall(
  { launches, clock }: Pick<Ports, 'launches' | 'clock'>,
  id: string,
  claims: readonly NodeClaim[],
): Promise<Call | undefined> {
  const now = clock.now();
  const names = claims.map(({ name }) => name);
  // Most are the first: to write is to ask.
  const first = { id, attempt: 1, claims: names, calledAt: now, launches: {} };
  if (await launches.save(first, 0)) return { record: first, version: 1, isRepeated: false };

  const known = await launches.find(id);
  if (!known || !isToBeCalled(known.record, names, now)) return undefined;
  const record = calledAgain(known.record, names, now);
  if (!(await launches.save(record, known.version))) return undefined;
  return { record, version: known.version + 1, isRepeated: mayHaveLaunched(known.record) };
}

/** What the last attempt has launched is not known for sure. */
const mayHaveLaunched = (record: LaunchRecord): boolean =>
  isOpen(record) || record.uncertain === true;

/** Nobody knows what EC2 said. */
const isOpen = ({ closedAt, refused }: LaunchRecord): boolean => closedAt === undefined && !refused;

/** A claim that came on record after the answer has not been asked for. */
function isToBeCalled(record: LaunchRecord, claims: readonly string[], now: EpochMs): boolean {
  if (isUnderWay(record, now)) return false;
  return record.closedAt === undefined || claims.some((name) => !record.claims.includes(name));
}

/** Once answered it is another request; without an answer it is the same again. */
function calledAgain(
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
export async function noteAnswer(
  { launches, clock }: Pick<Ports, 'launches' | 'clock'>,
  call: StoredLaunch,
  answer: LaunchAnswer,
): Promise<LaunchRecord> {
  let { record, version } = call;
  for (;;) {
    const next = answered(record, answer, clock.now());
    if (await launches.save(next, version)) return next;
    const found = await launches.find(record.id);
    if (!found || found.record.calledAt !== record.calledAt) return found?.record ?? record;
    ({ record, version } = found);
  }
}

function answered(
  record: LaunchRecord,
  { launches, unavailable, refusal, isUncertain }: LaunchAnswer,
  now: EpochMs,
): LaunchRecord {
  const waiting = waitingIn(record);
  const given = waiting.flatMap((name, index) => {
    const launch = launches[index];
    return launch ? [[name, launch] as const] : [];
  });
  const isOver = !refusal || given.length === waiting.length;
  return {
    ...record,
    launches: { ...record.launches, ...Object.fromEntries(given) },
    ...(unavailable.length > 0 && { foundDry: true }),
    ...(isOver ? { closedAt: now } : { refused: true, ...(isUncertain && { uncertain: true }) }),
  };
}

/** Claims that have no instance yet. */
export const waitingIn = ({ claims, launches }: LaunchRecord): readonly string[] =>
  claims.filter((name) => !Object.hasOwn(launches, name));

/**
 * Takes a claim that is given up out of its launch, so that what EC2 still sends is nobody's, and the
 * sweep ends it.
 *
 * @returns the instance that it has already
 */
export async function leaveLaunch(
  { launches }: Pick<Ports, 'launches'>,
  id: string,
  claim: string,
): Promise<string | undefined> {
  for (;;) {
    const found = await launches.find(id);
    if (!found) return undefined;
    const { record, version } = found;
    const launch = record.launches[claim];
    if (launch || !record.claims.includes(claim)) return launch?.providerId;
    const claims = record.claims.filter((name) => name !== claim);
    if (await launches.save({ ...record, claims }, version)) return undefined;
  }
}
