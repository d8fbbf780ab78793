import { LaunchFailedError } from '../../model/errors.ts';
import type { Launch, NodeClaim } from '../../model/nodes/node-claim.ts';
import type { OfferingPart } from '../../model/offerings/instance-type.ts';
import { findLastEnd } from '../../model/offerings/shortages.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { LaunchRequest, LaunchResult } from '../../ports/cloud.ts';
import type { Ports } from '../../ports/ports.ts';
import type { LaunchRecord, StoredNodeClaim, UnreadableRecord } from '../../ports/records.ts';
import { isOwner } from '../support/ownership.ts';
import { applyLaunchRecord, hasNoCapacity, type RecordedOutcome } from './apply-launch-record.ts';
import { recordLaunchResult } from './launch-backoff.ts';
import { launchIdOf } from './launch-groups.ts';
import {
  beginLaunchCall,
  computeCallDeadline,
  type LaunchCall,
  type LaunchPorts,
  listWaitingClaims,
  recordAnswer,
} from './launch-record.ts';
import { reportRefusal } from './report-refusal.ts';

/** Leaves time for other work between a failed launch and the next plan. */
const REPLAN_AFTER_MS = SECOND_MS;
const REPLAN_WITHOUT_CAUSE_AFTER_MS = 10 * SECOND_MS;

/** By claim name; claims without an instance are left out. */
export type LaunchesByClaim = ReadonlyMap<string, Launch>;
const NO_LAUNCHES: LaunchesByClaim = new Map();

/**
 * Launches the instance of a claim that has none, together with the claims of the same launch
 * record. Needed for replacements, and if the process that committed the claim did not launch it.
 *
 * @param replaces - the nodes that the claim takes over the pods of
 * @returns undefined if EC2 has no capacity, another process is calling EC2, the claim changed
 *   meanwhile, a claim of the same launch cannot be read, or another process owns the cluster and
 *   launches it
 */
export async function launchClaim(
  ports: LaunchPorts,
  stored: StoredNodeClaim,
  replaces?: readonly string[],
): Promise<Launch | undefined> {
  const id = launchIdOf(stored.claim);
  const list = await ports.nodeClaims.list();
  if (await hasUnreadableMember(ports, id, list.unreadable)) return undefined;
  const others = list.records.filter(
    ({ claim }) => launchIdOf(claim) === id && isWaitingForLaunch(claim) && claim.name !== stored.claim.name,
  );
  const launches = await launchGroup(ports, [stored, ...others]);
  await announceLaunches(ports, launches, replaces);
  return launches.get(stored.claim.name);
}

/** A plan announces its own launches, with their pods; here only the claims are known. */
async function announceLaunches(
  { decisionLog }: Pick<Ports, 'decisionLog'>,
  launches: LaunchesByClaim,
  replaces?: readonly string[],
): Promise<void> {
  for (const [claim, { instanceType, zone, capacityType, hourlyUsd, at, providerId }] of launches) {
    await decisionLog.recordEvent({
      kind: 'launch',
      at,
      claim,
      instance: providerId,
      pods: [],
      ...(replaces && { replaces }),
      cpuMilli: 0,
      offering: { instanceType, zone, capacityType, hourlyUsd },
    });
  }
}

/**
 * True if a claim of the launch cannot be read. A repeated request must name all claims of the first
 * one, and the instances must be shared out among them.
 */
async function hasUnreadableMember(
  { launches }: Pick<Ports, 'launches'>,
  id: string,
  unreadable: readonly UnreadableRecord[],
): Promise<boolean> {
  if (unreadable.length === 0) return false;
  const names = new Set(unreadable.map(({ name }) => name));
  const waiting = (await launches.find(id))?.record;
  return waiting !== undefined && listWaitingClaims(waiting).some((name) => names.has(name));
}

const isWaitingForLaunch = ({ launch, deletingAt }: NodeClaim): boolean =>
  launch === undefined && deletingAt === undefined;

/**
 * Requests the instances of claims that share a launch record with one EC2 call, and stores the
 * result on the claims. Safe to repeat: the launch record lets one process call at a time
 * (`launch-record.ts`).
 *
 * @throws errors after which it is unknown whether EC2 was called; the claims are re-queued
 */
export async function launchGroup(ports: LaunchPorts, group: readonly StoredNodeClaim[]): Promise<LaunchesByClaim> {
  const [first] = group;
  if (!first || !(await isOwner(ports))) return NO_LAUNCHES;
  const id = launchIdOf(first.claim);
  const claims = group.map(({ claim }) => claim).filter(isWaitingForLaunch);

  const call = await beginLaunchCall(ports, id, claims);
  let record: LaunchRecord | undefined;
  let isGivenUp = false;
  if (call) {
    const request = toLaunchRequest(call, claims);
    let answer: LaunchResult = { launches: [], unavailable: [] };
    try {
      if (request.claims.length > 0) answer = await ports.cloud.launch(request);
    } catch (error) {
      answer = { ...answer, refusal: await toRefusal(ports, call.record, request, error) };
    }
    record = await recordResult(ports, call, request, answer);
    isGivenUp = await recordLaunchResult(ports, first.claim.pool, record, answer);
  } else {
    record = (await ports.launches.find(id))?.record;
  }
  if (!record) return NO_LAUNCHES;
  const launches = await applyToGroup(ports, group, { record, isGivenUp });
  if (isGivenUp) await ports.queue.send({ topic: 'plan' }, ports.clock.now() + REPLAN_AFTER_MS);
  await requestReplan(ports, record, group);
  return launches;
}

async function applyToGroup(
  ports: LaunchPorts,
  group: readonly StoredNodeClaim[],
  outcome: RecordedOutcome,
): Promise<LaunchesByClaim> {
  const results = await Promise.all(group.map((stored) => applyLaunchRecord(ports, stored, outcome)));
  return new Map(results.flatMap((entry) => (entry ? [entry] : [])));
}

/**
 * Returns a refusal as it is. After any other error the request may have reached EC2: re-queues the
 * claims for when its outcome is visible.
 *
 * @throws every error that is no refusal
 */
async function toRefusal(
  { queue }: LaunchPorts,
  record: LaunchRecord,
  request: LaunchRequest,
  error: unknown,
): Promise<LaunchFailedError> {
  if (error instanceof LaunchFailedError) return error;
  for (const { name } of request.claims) {
    await queue.send({ topic: 'claim', claim: name }, computeCallDeadline(record));
  }
  throw error;
}

/**
 * Records what EC2 answered. The launches come first: without them, the instances of this answer would
 * have no claim. Unavailable offerings only save requests.
 */
async function recordResult(
  ports: LaunchPorts,
  call: LaunchCall,
  request: LaunchRequest,
  answer: LaunchResult,
): Promise<LaunchRecord> {
  const updated = await recordAnswer(ports, call, answer);
  await markUnavailable(ports, request.claims, answer);
  if (answer.refusal) await reportRefusal(ports, listWaitingClaims(updated), answer.refusal);
  return updated;
}

function toLaunchRequest({ record, isRepeated }: LaunchCall, claims: readonly NodeClaim[]): LaunchRequest {
  const { id, attempt, launches } = record;
  const waiting = new Set(listWaitingClaims(record));
  const existing = Object.values(launches).map(({ providerId }) => providerId);
  return {
    id,
    attempt,
    claims: claims.filter(({ name }) => waiting.has(name)),
    isRepeated,
    existingInstances: existing,
  };
}

type UnavailableInAnswer = LaunchResult['unavailable'];

async function markUnavailable(
  { unavailableOfferings, decisionLog, clock }: LaunchPorts,
  [first]: readonly NodeClaim[],
  { unavailable, failures }: Pick<LaunchResult, 'unavailable' | 'failures'>,
): Promise<void> {
  if (!first || unavailable.length === 0) return;
  const at = clock.now();
  const marked = await unavailableOfferings.mark(unavailable.map(toOfferingPart), at);
  const until = findLastEnd(marked) ?? at;
  await decisionLog.recordEvent({
    kind: 'unavailable',
    at,
    offerings: unavailable,
    until,
    claim: first.name,
    ...findCommonReason(failures),
  });
}

/** A quota or an address range is for the user to raise, unlike missing capacity. */
function findCommonReason(failures: LaunchResult['failures'] = []): { readonly reason?: string } {
  const [reason, ...others] = new Set(failures.map((failure) => failure.reason));
  const isCommon = reason !== undefined && others.length === 0;
  return isCommon && reason !== 'InsufficientInstanceCapacity' ? { reason } : {};
}

const toOfferingPart = ({
  instanceType,
  zone,
  capacityType,
  placementGroup,
}: UnavailableInAnswer[number]): OfferingPart => ({
  instanceType,
  zone,
  capacityType,
  ...(placementGroup !== undefined && { placementGroup }),
});

/**
 * Requests a plan for pods whose claim got no instance. At once only if the answer named
 * unavailable offerings, because that plan will choose others.
 */
async function requestReplan(
  { queue, clock }: LaunchPorts,
  record: LaunchRecord,
  group: readonly StoredNodeClaim[],
): Promise<void> {
  if (!group.some(({ claim }) => hasNoCapacity(record, claim.name))) return;
  const wait = record.foundShortage ? REPLAN_AFTER_MS : REPLAN_WITHOUT_CAUSE_AFTER_MS;
  await queue.send({ topic: 'plan' }, clock.now() + wait);
}
